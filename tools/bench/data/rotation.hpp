// `--rotate`: several copies of the matrices, used in turn, so that no operand still lies in a cache from the
// run before.
#pragma once

#include <cstddef>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm::bench {

struct Rotation {
  std::size_t copies = 1;
  std::size_t bytes = 0;  // of all copies of A, B and C together
};

// Bytes that no cache of the device holds.
std::size_t beyond_caches(const cl::Device& device);

// Copies beyond what the caches hold, two at least, as far as a quarter of the device's memory goes.
Rotation rotation_for(const cl::Device& device, const SgemmCall& call);

}  // namespace clgemm::bench
