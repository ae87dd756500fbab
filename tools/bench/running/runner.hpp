// Runs everything that the options ask for, one size after another.
#pragma once

#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Throws Error if a kernel that was named does not run, or if nothing can run.
Results run_bench(const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
