// How command lines of bench and tuner name kernels.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm::bench {

// A file of the user's own, as opposed to the name of a kernel.
inline bool names_a_file(const std::string& kernel) {
  return kernel.ends_with(".cl") || std::filesystem::path(kernel).has_parent_path();
}

}  // namespace clgemm::bench
