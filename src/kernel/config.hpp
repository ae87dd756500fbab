// A config: a kernel with values for its parameters, as a rule, a tuned entry or a caller names it. Whether
// there is such a kernel, and whether a device can run it, kernel_config.hpp finds out.
#pragma once

#include <compare>
#include <string>

#include "kernel/manifest.hpp"

namespace clgemm {

struct Config {
  std::string kernel;     // as KernelLibrary::find() takes it
  Parameters parameters;  // the others have the kernel's own defaults
  bool mirrored = false;  // the kernel gets C^T = op(B)^T op(A)^T, see mirrored() of problem.hpp

  auto operator<=>(const Config&) const = default;
};

// "TS=32 WPT=8"; empty where there are none.
std::string describe_values(const Parameters& values);

// "panels KC=384 MR=9"
std::string to_string(const Config& config);

}  // namespace clgemm
