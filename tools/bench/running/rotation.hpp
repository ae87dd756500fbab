// `--rotate`: uses several copies of the matrices in turn, so that no operand is still in a cache from the
// previous run.
#pragma once

#include <cstddef>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/problem.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Returns a number of bytes that no cache of the device holds.
std::size_t beyond_caches(const cl::Device& device);

// Returns at least two copies, and more than the caches hold, limited to a quarter of the device's memory.
Rotation rotation_for(const cl::Device& device, const SgemmCall& call);

}  // namespace clgemm::bench
