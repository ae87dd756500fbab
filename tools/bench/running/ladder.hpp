// The ladder: the same multiply by one technique after the other, from the simplest to the fastest, as the
// well-known tutorials climb it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "choose/tuning.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Kernels and variants, in the order in which they are climbed.
std::span<const std::string_view> ladder_steps();

// The step whose parameters are the winner of a search, the one of the TVM article: what tuning data has for
// the device, else what was best on its kind.
inline constexpr std::string_view searched_step = "tiled_vector";
Parameters searched_parameters(const Tuning& tuning, const Size& size, const Device& device);

// The loops on the host that come before the first step. `reference` may be null.
std::vector<HostLoopResult> run_host_loops(const HostData& data, const Reference* reference);

}  // namespace clgemm::bench
