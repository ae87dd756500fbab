// The speed of transfers to a device and back. It bounds a GEMM on matrices in the host's memory if the
// device has memory of its own.
#pragma once

#include <optional>

#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm::bench {

// In 10^9 bytes a second, for pinned memory.
struct HostLink {
  double in_gbs = 0.0;
  double out_gbs = 0.0;
};

// Returns nothing if the device shares the host's memory.
std::optional<HostLink> measure_host_link(const cl::CommandQueue& queue);

// Returns a lower bound of the time of a GEMM from host to host on that many devices. It assumes that each
// operand is sent once, that C is returned once at the same time, and that one device alone computes for
// `compute_ms`.
double host_bound_ms(const SgemmCall& call, const std::optional<HostLink>& link, double compute_ms,
                     std::size_t devices);

}  // namespace clgemm::bench
