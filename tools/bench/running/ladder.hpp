// The ladder: the same GEMM computed by one technique after another, from the simplest to the fastest, in the
// order of the well-known tutorials.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "choose/tuning.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Returns kernels and variants in the order of the ladder.
std::span<const std::string_view> ladder_steps();

// The step that uses the winner of a search, like the one of the TVM article. The parameters come from the
// tuning data of the device, or else are the best ones for its kind of device.
inline constexpr std::string_view searched_step = "tiled_vector";
Parameters searched_parameters(const Tuning& tuning, const Size& size, const Device& device);

// Runs the loops on the host that come before the first step. `reference` may be null.
std::vector<HostLoopResult> run_host_loops(const HostData& data, const Reference* reference);

}  // namespace clgemm::bench
