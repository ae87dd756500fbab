// Host matrices on a device that shares the host's memory: it works on them where they lie.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/opencl.hpp"
#include "call/host_problem.hpp"

namespace clgemm {

// What a multiply of host matrices needs of whoever keeps the device.
struct DeviceMultiply {
  using Enqueue = std::function<cl::Event(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                                          const DeviceMatrix& c, const std::vector<cl::Event>& wait_for)>;

  cl::Context context;
  cl::CommandQueue queue;  // that `enqueue` enqueues on
  Enqueue enqueue;         // a call on device memory; the event completes when C is complete
};

// The parts that a device with such a largest allocation, in bytes, takes one after the other, each by lines
// of the matrices as they are stored. Empty where a single line is too long.
std::vector<HostProblem> parts_in_place(const HostProblem& host, std::size_t max_allocation);

// Returns when C is complete, or throws when the device is through with the caller's memory.
void multiply_in_host_memory(const DeviceMultiply& device, const HostProblem& host);

}  // namespace clgemm
