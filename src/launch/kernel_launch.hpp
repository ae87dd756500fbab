// One launch of a kernel: its arguments and its number of work-groups.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/program_cache.hpp"
#include "kernel/kernel_config.hpp"
#include "plan/launches.hpp"

namespace clgemm {

using Events = std::vector<cl::Event>;

// The place at which a kernel finds a matrix.
struct Place {
  cl_mem buffer;
  std::size_t offset;
  std::size_t ld;
  std::size_t stride;
};

// The queue of a call's commands, and the way in which they are kept in order. An event takes half as long as
// a launch (2.3 of 7 us, NVIDIA's driver of an H200), so one is made only if something waits for it.
struct Sequence {
  const cl::CommandQueue& queue;
  bool by_events;    // each waits for the event of the one before; otherwise the queue keeps the order
  bool is_observed;  // the event of the last command is needed
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
  KernelLaunch(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built)
      : config_(config), kernel_(built) {}

  // Sets the next arguments.
  template <class... Arguments>
  KernelLaunch& with(const Arguments&... arguments) {
    (set(arguments), ...);
    return *this;
  }

  // Sets the next four arguments: a matrix that the kernel reads or writes.
  KernelLaunch& with_matrix(const Place& place) {
    return with(place.buffer, cl_ulong{place.offset}, cl_ulong{place.ld}, cl_ulong{place.stride});
  }

  // Enqueues the launch behind `wait_for`. Returns its event, or nothing if none `is_wanted`. If it throws,
  // nothing is enqueued. Throws Error(device_limit_exceeded) if the device cannot run the kernel, whatever
  // the problem.
  Events enqueue(const cl::CommandQueue& queue, const Events& wait_for, const LaunchSize& size,
                 bool is_wanted);

 private:
  void set(cl_mem value) {
    set_by("__global pointer", [&] { (*kernel_).setArg(set_, sizeof value, &value); });
  }

  template <class Number>
  void set(Number value) {
    set_by(type_of<Number>(), [&] { kernel_.set_number(set_, value); });
  }

  template <class Body>
  void set_by(const char* passed, Body&& body) {
    try {
      body();
    } catch (const cl::Error& failure) {
      throw_if_of_kernel(failure, passed);
      throw;
    }
    ++set_;
  }

  // Returns the name of a number's type in OpenCL C.
  template <class Number>
  static constexpr const char* type_of() {
    if constexpr (std::is_same_v<Number, cl_float>) return "float";
    if constexpr (std::is_same_v<Number, cl_int>) return "int";
    static_assert(std::is_same_v<Number, cl_float> || std::is_same_v<Number, cl_int> ||
                  std::is_same_v<Number, cl_ulong>);
    return "ulong";
  }

  // Throws Error(invalid_kernel_file) if the kernel does not take the next argument, which has the type
  // `passed`.
  void throw_if_of_kernel(const cl::Error& failure, const char* passed) const;

  const KernelConfig& config_;
  BuiltKernel::Lease kernel_;
  cl_uint set_ = 0;
};

}  // namespace clgemm
