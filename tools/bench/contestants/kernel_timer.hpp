// The device's time from the first kernel's start to the last one's end, whoever launches them.
//
// A library such as CLBlast hands out the event of its last kernel only; timing that one leaves its packing
// out. So the program defines clEnqueueNDRangeKernel itself, in front of the OpenCL library's: while a
// KernelTimer is alive, every launch of the process passes by it and leaves its event here. Kernels, peers'
// and ours, are thus measured by the same rule.
#pragma once

#include <cstddef>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm::bench {

class KernelTimer {
 public:
  struct Span {
    double ms = 0.0;
    std::size_t launches = 0;
  };

  // Of what is launched on this queue; clgemm tests new programs on queues of its own, which is not timed.
  // One timer at a time in a process.
  explicit KernelTimer(const cl::CommandQueue& queue);
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  // Call when all that was launched is complete; the queue needs profiling. Throws Error(opencl_error) where
  // nothing was launched or the device has no times: there is no such thing as 0 ms.
  Span span() const;

 private:
  std::vector<cl::Event> recorded() const;
};

}  // namespace clgemm::bench
