// Whether the device of a Context still works. A kernel's fault ends the whole OpenCL context that it ran in:
// every later command fails, with statuses that also stand for other things.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "base/forked.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// A new OpenCL context. Throws Error(device_lost) where it cannot be made and the device was lost in this
// process.
cl::Context new_context(const cl::Device& device);

// False where a fault has ended the OpenCL context. To be asked when something has failed: it runs a command.
bool still_works(const cl::Context& context, const cl::Device& device);

// Any number of threads may use one.
class DeviceHealth {
 public:
  DeviceHealth(cl::Context context, cl::Device device, std::string device_name)
      : context_(std::move(context)), device_(std::move(device)), device_name_(std::move(device_name)) {}

  // Runs the body of a public function, as at_boundary(). Once the device is lost, what leaves it is always
  // Error(device_lost).
  template <class Body>
  auto watch(Body&& body) -> decltype(body()) {
    claim_process();
    throw_if_lost();
    try {
      return at_boundary(body);
    } catch (const Error& error) {
      look_after(error);
      throw;
    }
  }

  // Throws Error(device_lost) if that is behind the error. Matrices that are in use are worth more to know:
  // that error stays, and the next call says that the device is lost.
  void look_after(const Error& error);

 private:
  void throw_if_lost();

  cl::Context context_;
  cl::Device device_;
  std::string device_name_;  // who is lost may not say it any more
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string why_;  // the first error
};

}  // namespace clgemm
