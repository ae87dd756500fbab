// A config: a kernel with values for its parameters, as a rule, a tuned entry or a caller names it.
// kernel_config.hpp finds out whether such a kernel exists, and whether a device can run it.
#pragma once

#include <compare>
#include <string>

#include "kernel/manifest.hpp"

namespace clgemm {

struct Config {
  std::string kernel;     // in the form that KernelLibrary::find() takes
  Parameters parameters;  // the other parameters have the kernel's own defaults
  // The kernel computes C^T = op(B)^T op(A)^T, see transposed_problem() of problem.hpp.
  bool as_transpose = false;

  auto operator<=>(const Config&) const = default;
};

// Returns "TS=32 WPT=8"; empty if there are no values.
std::string describe_values(const Parameters& values);

// Returns "panels KC=384 MR=9".
std::string to_string(const Config& config);

}  // namespace clgemm
