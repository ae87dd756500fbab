// One call of a path under one fault, and which of them there are.
#pragma once

#include <string>
#include <vector>

#include "fault_layer.hpp"

namespace clgemm::test {

// What is counted, so that each of it can fail.
enum class Counted { calls, waits, commands, retains, releases };
constexpr Counted all_counted[] = {Counted::calls, Counted::waits, Counted::commands, Counted::retains,
                                   Counted::releases};

// As Fault::function has it.
const char* functions_of(Counted counted);

struct Case {
  float beta = 1;
  bool slow = false;  // copies take 20 ms
  Counted counted = Counted::calls;
  unsigned long first = 0;
  unsigned long every = 0;
  cl_int status = CL_OUT_OF_RESOURCES;
  Failing failing = Failing::refused;
  int device = -1;  // of the path's; -1: any
};

// One line without spaces, to be given to another process, or to --case.
std::string to_text(const Case& one);
Case case_of(const std::string& text);

// How many there are of one kind, in a call without faults.
struct Counts {
  unsigned long of[std::size(all_counted)] = {};
  std::vector<unsigned long> of_device;  // calls
};

std::string to_text(const Counts& counts);
Counts counts_of(const std::string& text);

struct Choice {
  bool every_fault = false;
  unsigned long places = 4;  // of each kind of fault; unless every_fault
  unsigned long seed = 0;    // moves them
};

struct Setting {
  float beta;
  bool slow;
};
const std::vector<Setting>& all_settings();

// `counts` are those of all_settings().
std::vector<Case> cases_for(const Choice& choice, const std::vector<Counts>& counts, bool failures_spread);

}  // namespace clgemm::test
