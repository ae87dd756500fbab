// Runs this program again, with other arguments and a changed environment.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace clgemm::bench {

// What the child wrote to standard output. Throws std::runtime_error where it does not end with 0.
std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment);

}  // namespace clgemm::bench
