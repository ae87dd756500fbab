// The speed of transfers to a device and back. It bounds a GEMM on matrices in the host's memory if the
// device has memory of its own.
#pragma once

#include <optional>

#include "base/device_facts.hpp"
#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm::bench {

// Returns the rates of pinned memory. Returns nothing if the device shares the host's memory.
std::optional<HostRates> measure_host_link(const cl::CommandQueue& queue);

// Returns a lower bound of the time of a GEMM from host to host on that many devices. It assumes that each
// operand is sent once, that C is returned once at the same time, and that one device alone computes for
// `compute_ms`.
double host_bound_ms(const SgemmCall& call, const std::optional<HostRates>& link, double compute_ms,
                     std::size_t devices);

}  // namespace clgemm::bench
