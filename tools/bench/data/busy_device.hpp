// Keeps a GPU busy while the host enqueues a call, so that the call's kernels follow each other as they do in
// a program that is ahead of its device. On an idle device a call of several kernels shows the host's time
// between them: on an H200 10 microseconds a launch, beside 1 on a busy one.
#pragma once

#include <optional>

#include "base/opencl.hpp"

namespace clgemm::bench {

class BusyDevice {
 public:
  // `queue` is in-order, with profiling. Does nothing on devices that are no GPUs: there the host's cores are
  // the device's.
  explicit BusyDevice(const cl::CommandQueue& queue);

  bool is_on() const { return kernel_.has_value(); }

  // Work of about `busy_ms`, which nothing depends on. Only where is_on().
  void enqueue() const;

  static constexpr double busy_ms = 0.3;

 private:
  cl::CommandQueue queue_;
  cl::Buffer result_;  // kernels do not keep their arguments alive
  std::optional<cl::Kernel> kernel_;
};

}  // namespace clgemm::bench
