// Measures the device's time from the start of the first kernel to the end of the last one, for any code that
// launches them.
//
// A library such as CLBlast returns only the event of its last kernel, so that event does not include the
// time of its packing. So the program defines clEnqueueNDRangeKernel itself, in front of the OpenCL
// library's. While a KernelTimer is alive, every launch of the process goes through it and leaves its event
// here. So our kernels and the peers' are measured by the same rule.
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

  // Times the launches on this queue. clgemm tests new programs on queues of its own, which are not timed. A
  // process has one timer at a time.
  explicit KernelTimer(const cl::CommandQueue& queue);
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  // Call it when all launches are complete. The queue needs profiling. Throws Error(opencl_error) if nothing
  // was launched or the device has no times, because 0 ms would be wrong.
  Span span() const;

 private:
  std::vector<cl::Event> recorded() const;
};

}  // namespace clgemm::bench
