// `--ceilings`: the highest rates of this device, measured here with our own small kernels (probe.cl and
// ceilings.cl).
#pragma once

#include "base/opencl.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Measures on a queue with profiling. Takes about two seconds.
Ceilings measure_ceilings(const cl::CommandQueue& queue);

}  // namespace clgemm::bench
