// `--ceilings`: what this device can do at most, measured here with small kernels of our own (probe.cl and
// ceilings.cl).
#pragma once

#include "base/opencl.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// On a queue with profiling. Takes about two seconds.
Ceilings measure_ceilings(const cl::CommandQueue& queue);

}  // namespace clgemm::bench
