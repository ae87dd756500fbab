// Runs everything that the options ask for, one size after the other.
#pragma once

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Throws Error where a kernel that was named does not run, or nothing can.
Results run_bench(const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
