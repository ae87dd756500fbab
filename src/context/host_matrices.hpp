// Host matrices: the rest of the way of a call that begins in the caller's own memory.
//
// A device that shares the host's memory works on it where it lies. For any other, C is made in strips: while
// the device multiplies one, the next strip's operands are on their way in and the last strip of C on its way
// out.
#pragma once

#include <functional>
#include <vector>

#include "base/opencl.hpp"
#include "call/problem.hpp"
#include "context/scratch.hpp"

namespace clgemm {

// What a multiply of host matrices needs of whoever keeps the device.
struct DeviceMultiply {
  using Enqueue = std::function<cl::Event(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                                          const DeviceMatrix& c, const std::vector<cl::Event>& wait_for)>;

  cl::Context context;
  cl::CommandQueue queue;  // that `enqueue` enqueues on
  Enqueue enqueue;         // a call on device memory; the event completes when C is complete
};

// How matrices come to a device that has memory of its own: queues for each direction, and pinned memory.
struct Transfers {
  cl::CommandQueue in;
  cl::CommandQueue out;
  ScratchPool& staging;
};

// Both return when C is complete; the pointers and the call have been checked.
void multiply_in_host_memory(const DeviceMultiply& device, const SgemmCall& call, const Extents& extents,
                             const float* a, const float* b, float* c);

// Strips of about `strip_bytes` of the operand that is cut.
void multiply_on_copies(const DeviceMultiply& device, const Transfers& transfers, const SgemmCall& call,
                        const float* a, const float* b, float* c, std::size_t strip_bytes);

}  // namespace clgemm
