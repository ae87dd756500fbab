// One call of a path under one fault, and the list of these cases.
#pragma once

#include <string>
#include <vector>

#include "fault_layer.hpp"

namespace clgemm::test {

// The things that are counted, because each of them can fail.
enum class Counted { calls, waits, commands, retains, releases };
constexpr Counted all_counted[] = {Counted::calls, Counted::waits, Counted::commands, Counted::retains,
                                   Counted::releases};

// Returns the value for Fault::function.
const char* functions_of(Counted counted);

struct Case {
  float beta = 1;
  bool slow = false;  // copies take 20 ms
  Counted counted = Counted::calls;
  unsigned long first = 0;
  unsigned long every = 0;
  cl_int status = CL_OUT_OF_RESOURCES;
  Failing failing = Failing::refused;
  int device = -1;  // one of the path's devices; -1 means any
};

// Writes one line without spaces, for another process or for --case.
std::string to_text(const Case& one);
Case case_of(const std::string& text);

// The numbers of each kind in a call without faults.
struct Counts {
  unsigned long of[std::size(all_counted)] = {};
  std::vector<unsigned long> of_device;  // calls
};

std::string to_text(const Counts& counts);
Counts counts_of(const std::string& text);

struct Choice {
  bool every_fault = false;
  unsigned long places = 4;  // for each kind of fault, unless every_fault is set
  unsigned long seed = 0;    // moves the places
};

struct Setting {
  float beta;
  bool slow;
};
const std::vector<Setting>& all_settings();

// `counts` are those of all_settings().
std::vector<Case> cases_for(const Choice& choice, const std::vector<Counts>& counts, bool failures_spread);

}  // namespace clgemm::test
