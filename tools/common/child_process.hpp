// Runs this program again with other arguments and a changed environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/platform/process.hpp"

namespace clgemm::bench {

// How a child ended, and what it wrote to standard output.
struct Ended {
  ProcessEnd end;
  std::string out;
};
Ended run_self_to_end(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment, Complaints complaints);

// Returns what a child wrote to standard output. Throws std::runtime_error if its exit status is not 0.
std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment);

}  // namespace clgemm::bench
