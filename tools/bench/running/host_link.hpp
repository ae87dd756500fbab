// How fast matrices can come to a device and back: what bounds a multiply of matrices in the host's memory,
// where the device has memory of its own.
#pragma once

#include <optional>

#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm::bench {

// 10^9 bytes a second, of pinned memory.
struct HostLink {
  double in_gbs = 0.0;
  double out_gbs = 0.0;
};

// Nothing where the device shares the host's memory.
std::optional<HostLink> measure_host_link(const cl::CommandQueue& queue);

// What no multiply from host to host can be faster than on so many devices: each operand comes in once, C
// goes out once, at the same time, and one device alone computes for `compute_ms`.
double host_bound_ms(const SgemmCall& call, const std::optional<HostLink>& link, double compute_ms,
                     std::size_t devices);

}  // namespace clgemm::bench
