// Properties of Mesa's llvmpipe that tests of the bench and the tuner must know.
#pragma once

#include <regex>
#include <string>

#include "base/device.hpp"

namespace clgemm::test {

// Returns true if the default device is one. It ends every loop, and has no fma.
inline bool is_on_llvmpipe() {
  return describe(default_device()).name.rfind("llvmpipe", 0) == 0;
}

// Removes the messages of its compiler from standard error.
inline std::string without_warnings_of_mesa(const std::string& text) {
  return std::regex_replace(text, std::regex("MESA: warning: [^\n]*\n"), "");
}

}  // namespace clgemm::test
