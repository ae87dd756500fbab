// Keeps a GPU busy while the host enqueues a call, so that the call's kernels follow each other as in a
// program that is ahead of its device. On an idle device, the time of a call of several kernels includes the
// host's time between them. On an H200, this is 10 microseconds a launch, compared with 1 on a busy device.
#pragma once

#include <optional>

#include "base/opencl.hpp"

namespace clgemm::bench {

class BusyDevice {
 public:
  // `queue` is in-order, with profiling. Does nothing on devices other than GPUs, because they compute on the
  // host's cores.
  explicit BusyDevice(const cl::CommandQueue& queue);

  bool is_on() const { return kernel_.has_value(); }

  // Enqueues work of about `busy_ms`, on which nothing depends. Call it only if is_on().
  void enqueue() const;

  static constexpr double busy_ms = 0.3;

 private:
  cl::CommandQueue queue_;
  cl::Buffer result_;  // kernels do not keep their arguments alive
  std::optional<cl::Kernel> kernel_;
};

}  // namespace clgemm::bench
