// One launch of a kernel: its arguments, and how many work-groups.
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

// Where a kernel finds a matrix.
struct Place {
  cl_mem buffer;
  std::size_t offset;
  std::size_t ld;
  std::size_t stride;
};

// On which queue the commands of a call go, and what keeps them in order. An event costs as much as half a
// launch (2.3 of 7 us, NVIDIA's driver of an H200), so that none is made that nobody waits for.
struct Sequence {
  const cl::CommandQueue& queue;
  bool by_events;    // each waits for the event of the one before; else the queue itself sees to it
  bool is_observed;  // somebody wants the event of the last one
};

bool is_in_order(const cl::CommandQueue& queue);

// Returns whether clFlush must follow the commands of a call. clFlush takes the driver's lock: without it,
// four threads made 1.2 times as many small calls on an H100 (25 November 2026). A call that returns an event
// always flushes, because the caller may wait for that event on another queue, and OpenCL allows this only
// after a flush.
bool needs_flush(const Device& device, const Sequence& sequence);

// Where the caller waits for events, a failed one must stop all that comes behind it, and no queue does that.
Sequence sequence_on(const cl::CommandQueue& queue, const Events& wait_for, bool is_observed);

// Kernels count in 32 bits.
inline cl_int as_int(std::size_t value) {
  return static_cast<cl_int>(value);
}

// For one thread; it has the kernel for itself until it ends.
class KernelLaunch {
 public:
  KernelLaunch(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built)
      : config_(config), kernel_(built) {}

  // The next arguments.
  template <class... Arguments>
  KernelLaunch& with(const Arguments&... arguments) {
    (set(arguments), ...);
    return *this;
  }

  // The next four arguments: a matrix that the kernel reads or writes.
  KernelLaunch& with_matrix(const Place& place) {
    return with(place.buffer, cl_ulong{place.offset}, cl_ulong{place.ld}, cl_ulong{place.stride});
  }

  // Enqueues it behind `wait_for`; the result is its event, or empty where none `is_wanted`. Where this
  // throws, it is not enqueued. Throws Error(device_limit_exceeded) where the device will not run it,
  // whatever the problem.
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
