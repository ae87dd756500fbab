// What tests of the bench and the tuner must know of Mesa's llvmpipe.
#pragma once

#include <regex>
#include <string>

#include "base/device.hpp"

namespace clgemm::test {

// The default device is one: it ends every loop, and has no fma.
inline bool is_on_llvmpipe() {
  return describe(default_device()).name.rfind("llvmpipe", 0) == 0;
}

// Its compiler's own words come on standard error.
inline std::string without_warnings_of_mesa(const std::string& text) {
  return std::regex_replace(text, std::regex("MESA: warning: [^\n]*\n"), "");
}

}  // namespace clgemm::test
