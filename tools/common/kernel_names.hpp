// How the command lines of bench and tuner name kernels.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm::bench {

// Returns true for a file of the user, and false for the name of a kernel.
inline bool names_a_file(const std::string& kernel) {
  return kernel.ends_with(".cl") || std::filesystem::path(kernel).has_parent_path();
}

}  // namespace clgemm::bench
