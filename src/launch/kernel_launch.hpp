// One launch of a kernel: its arguments and its number of work-groups.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/program_cache.hpp"
#include "kernel/kernel_arguments.hpp"
#include "kernel/kernel_config.hpp"
#include "plan/launches.hpp"

namespace clgemm {

using Events = std::vector<cl::Event>;

// The queue of a call's commands, and the way in which they are kept in order. An event takes half as long as
// a launch (2.3 of 7 us, NVIDIA's driver of an H200), so one is made only if something waits for it.
struct Sequence {
  const cl::CommandQueue& queue;
  bool by_events;    // each waits for the event of the one before; otherwise the queue keeps the order
  bool is_observed;  // the event of the last command is needed

  // The call may wait for its own commands, because it is a host call, which waits for them in any case.
  bool may_wait = false;
};

bool is_in_order(const cl::CommandQueue& queue);

// Returns whether clFlush must follow the commands of a call. clFlush takes the driver's lock: without it,
// four threads made 1.2 times as many small calls on an H100 (25 November 2026). A call that returns an event
// always flushes, because the caller may wait for that event on another queue, and OpenCL allows this only
// after a flush.
bool needs_flush(const Device& device, const Sequence& sequence);

// If the caller waits for events, a failed event must stop all commands behind it, and no queue does that.
Sequence sequence_on(const cl::CommandQueue& queue, const Events& wait_for, bool is_observed);

// Kernels count in 32 bits.
inline cl_int as_int(std::size_t value) {
  return static_cast<cl_int>(value);
}

// For one thread, which has the kernel for itself until this object is destroyed.
class KernelLaunch {
 public:
  // Sets the arguments that the kernel has to these values. Throws Error(invalid_kernel_file) if the kernel
  // takes another type.
  KernelLaunch(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built,
               const ArgumentValues& values);

  // Enqueues the launch behind `wait_for`. Returns its event, or nothing if none `is_wanted`. If it throws,
  // nothing is enqueued. Throws Error(device_limit_exceeded) if the device cannot run the kernel, whatever
  // the problem.
  Events enqueue(const cl::CommandQueue& queue, const Events& wait_for, const LaunchSize& size,
                 bool is_wanted);

 private:
  const KernelConfig& config_;
  BuiltKernel::Lease kernel_;
};

}  // namespace clgemm
