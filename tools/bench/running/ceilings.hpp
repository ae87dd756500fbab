// `--ceilings`: what this device can do at most, measured here with small kernels of our own (ceilings.cl).
#pragma once

#include <cstddef>

#include "base/opencl.hpp"

namespace clgemm::bench {

struct Ceilings {
  double fp32_gflops = 0.0;  // fused multiply-adds on registers, two operations each
  double read_gbs = 0.0;     // 10^9 bytes a second, from memory beyond the caches
  double copy_gbs = 0.0;     // bytes read and bytes written together
};

// On a queue with profiling. Takes about two seconds.
Ceilings measure_ceilings(const cl::CommandQueue& queue);

}  // namespace clgemm::bench
