// `--races`: runs a kernel under Oclgrind, which simulates a device and checks every memory access. A kernel
// with a missing barrier passes on devices that run work-items in lock-step, and fails on others.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "command_line/options.hpp"

namespace clgemm::bench {

// A finding of Oclgrind, with all its occurrences at these lines.
struct RaceFinding {
  std::string what;                // "Read-write data race at local memory"
  std::vector<std::string> lines;  // "mine.cl:49", one for each work-item of the finding
  std::vector<std::string> items;  // "Local(1,0,0) Group(0,0,0)"
  std::size_t times = 0;
};

// Reads Oclgrind's log. Joins findings of one kind at the same lines.
std::vector<RaceFinding> findings_in(const std::string& log);

// Runs the kernel at a small size, and writes the findings with the lines of its file. Returns true if there
// are none. Throws UsageError if Oclgrind is not installed, and std::runtime_error if the kernel did not run.
bool find_races(std::ostream& out, const BenchOptions& options);

}  // namespace clgemm::bench
