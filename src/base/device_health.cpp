#include "base/device_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace clgemm {
namespace {

// The devices that this process has lost. A process may have lost a device for good: on NVIDIA's devices it
// cannot make a new OpenCL context.
class LostDevices {
 public:
  static LostDevices& of_process() {
    static auto* const instance = new LostDevices;  // may outlive static destructors
    return *instance;
  }

  void add(const cl::Device& device) {
    const std::lock_guard lock(mutex_);
    devices_.push_back(device());
  }

  bool has(const cl::Device& device) {
    const std::lock_guard lock(mutex_);
    return std::count(devices_.begin(), devices_.end(), device()) != 0;
  }

 private:
  std::mutex mutex_;
  std::vector<cl_device_id> devices_;
};

// Returns whether the loss of the device can cause such an error. Errors in arguments and files are found
// before anything reaches the device.
bool may_come_of_loss(ErrorCode code) {
  switch (code) {
    case ErrorCode::out_of_memory:
    case ErrorCode::opencl_error:
    case ErrorCode::build_failed:
    case ErrorCode::invalid_kernel_file:
    case ErrorCode::device_limit_exceeded:
    case ErrorCode::internal_error:
    case ErrorCode::matrices_in_use:
      return true;
    default:
      return false;
  }
}

bool waits_for_a_marker(const cl::CommandQueue& queue) {
  try {
    cl::Event marker;
    queue.enqueueMarkerWithWaitList(nullptr, &marker);
    marker.wait();
    return true;
  } catch (const cl::Error&) {
    return false;
  }
}

// Finds out whether the OpenCL context may still work, by finishing an empty queue.
//
// If the context of an H200 (driver 580) has died, reads, writes, flushes, builds and waiting for events
// return CL_OUT_OF_RESOURCES. Other devices return that when they are out of memory. Every clFinish returns
// CL_INVALID_COMMAND_QUEUE, even on a new queue, which can still be made. If the H200 is out of memory, it
// returns CL_MEM_OBJECT_ALLOCATION_FAILURE, and an empty queue still finishes, as it does in every context
// that works.
//
// So clFinish decides. PoCL 6 continues to use a queue whose finish had to wait, and ends the process if the
// queue is released meanwhile. So no command should be running then, if there is another way to wait for it.
bool may_work(const cl::Context& context, const cl::Device& device, int tries_left) {
  cl::CommandQueue queue;
  try {
    queue = cl::CommandQueue(context, device);
  } catch (const cl::Error&) {
    return true;  // unknown: there may be no memory for a queue
  }
  try {
    if (!waits_for_a_marker(queue) && tries_left != 0) return false;
    queue.finish();
    return true;
  } catch (const cl::Error& failure) {
    return failure.err() == CL_OUT_OF_HOST_MEMORY;
  }
}

}  // namespace

// A lost device fails every time. When every 97th call of 16 threads failed, some threads had three failures
// in a row.
bool still_works(const cl::Context& context, const cl::Device& device) {
  constexpr int tries = 5;
  for (int left = tries; left-- != 0;) {
    if (may_work(context, device, left)) return true;
  }
  return false;
}

cl::Context new_context(const cl::Device& device) {
  try {
    return cl::Context(device);
  } catch (const cl::Error& failure) {
    if (!LostDevices::of_process().has(device)) throw;
    throw Error(
        ErrorCode::device_lost,
        fmt::format(
            "this process has lost the device '{}' because of an earlier fault, and cannot use it again: {}",
            device.getInfo<CL_DEVICE_NAME>(), from_opencl(failure).what()));
  }
}

void DeviceHealth::throw_if_lost() {
  if (!lost_) return;
  const std::lock_guard lock(mutex_);
  throw Error(ErrorCode::device_lost,
              fmt::format("the device '{}' is lost: a fault, most likely in a kernel, has destroyed its "
                          "OpenCL context. The first error was: {}",
                          device_name_, why_));
}

void DeviceHealth::look_after(const Error& error) {
  if (!may_come_of_loss(error.code()) || still_works(context_, device_)) return;
  {
    const std::lock_guard lock(mutex_);
    if (!lost_) why_ = error.what();
    lost_ = true;
  }
  LostDevices::of_process().add(device_);
  if (error.code() != ErrorCode::matrices_in_use) throw_if_lost();
}

}  // namespace clgemm
