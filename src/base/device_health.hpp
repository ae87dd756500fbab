// Finds out whether the device of a Context still works. A kernel's fault ends the whole OpenCL context that
// it ran in. After that every command fails, with statuses that also have other meanings.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "base/forked.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// Returns a new OpenCL context. Throws Error(device_lost) if it cannot be made and the device was lost in
// this process.
cl::Context new_context(const cl::Device& device);

// Returns false if a fault has ended the OpenCL context. It runs a command, so call it only after something
// has failed.
bool still_works(const cl::Context& context, const cl::Device& device);

// Any number of threads may use the same object.
class DeviceHealth {
 public:
  DeviceHealth(cl::Context context, cl::Device device, std::string device_name)
      : context_(std::move(context)), device_(std::move(device)), device_name_(std::move(device_name)) {}

  // Runs the body of a public function like at_boundary(). If the device is lost, the error is always
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

  // Throws Error(device_lost) if a lost device has caused the error. If matrices are still in use, that is
  // more important, so that error stays, and the next call reports that the device is lost.
  void look_after(const Error& error);

 private:
  void throw_if_lost();

  cl::Context context_;
  cl::Device device_;
  std::string device_name_;  // a lost device may no longer report its name
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string why_;  // the first error
};

}  // namespace clgemm
