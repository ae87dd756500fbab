// Which kernels of a suite are measured at a size: those that take too long are left out, and said to be.
#pragma once

#include <vector>

#include "figures/results.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {

struct Affordable {
  std::vector<KernelChoice> choices;
  std::vector<KernelResult> left_out;  // skipped, with the reason
};

// Predicts each kernel's time from the largest size at which these results have it; what was not measured
// yet, and clgemm's own choice, are never left out. `max_seconds` is for one run.
Affordable affordable(const std::vector<KernelChoice>& choices, const Results& earlier, const Case& one,
                      double max_seconds);

}  // namespace clgemm::bench
