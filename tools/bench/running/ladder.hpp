// The ladder: the same GEMM computed by one technique after another, from the simplest to the fastest, in the
// order of the well-known tutorials.
#pragma once

#include <vector>

#include "figures/results.hpp"
#include "measuring/check.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {

// Returns the kernels and variants in the order of the ladder, with their defaults. One step uses the winner
// of a search, like the one of the TVM article: the parameters come from the tuning data of the device, or
// else are the best ones for its kind of device.
std::vector<KernelChoice> ladder_steps(const BenchOptions& options, const Device& device);

// Runs the loops on the host that come before the first step. `reference` may be null.
std::vector<PeerResult> run_host_loops(const HostData& data, const Reference* reference);

}  // namespace clgemm::bench
