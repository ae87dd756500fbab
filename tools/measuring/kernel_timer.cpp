#include "measuring/kernel_timer.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/error.hpp"
#include "base/platform/library.hpp"

namespace clgemm::bench {
namespace {

// Collects the events of launches, which may come from any thread.
struct Recorder {
  std::mutex mutex;
  cl_command_queue queue = nullptr;  // null while no timer is alive
  std::vector<cl::Event> events;
};

Recorder& recorder() {
  static Recorder instance;
  return instance;
}

bool is_recording(cl_command_queue queue) {
  const std::lock_guard lock(recorder().mutex);
  return queue != nullptr && recorder().queue == queue;
}

void record(cl_event event) {
  const std::lock_guard lock(recorder().mutex);
  recorder().events.emplace_back(event, true);
}

using Enqueue = decltype(&clEnqueueNDRangeKernel);

Enqueue opencl_library_function() {
  return reinterpret_cast<Enqueue>(opencl_function("clEnqueueNDRangeKernel"));
}

}  // namespace

KernelTimer::KernelTimer(const cl::CommandQueue& queue) {
  const std::lock_guard lock(recorder().mutex);
  if (recorder().queue != nullptr) throw std::logic_error("there are two kernel timers at the same time");
  recorder().queue = queue();
  recorder().events.clear();
}

KernelTimer::~KernelTimer() {
  const std::lock_guard lock(recorder().mutex);
  recorder().queue = nullptr;
  recorder().events.clear();
}

std::vector<cl::Event> KernelTimer::recorded() const {
  const std::lock_guard lock(recorder().mutex);
  return recorder().events;
}

KernelTimer::Span KernelTimer::span() const {
  const std::vector<cl::Event> events = recorded();
  if (events.empty())
    throw Error(ErrorCode::opencl_error, "no kernel was launched, so there is nothing to time");
  cl_ulong start = std::numeric_limits<cl_ulong>::max();
  cl_ulong end = 0;
  for (const cl::Event& event : events) {
    start = std::min(start, event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    end = std::max(end, event.getProfilingInfo<CL_PROFILING_COMMAND_END>());
  }
  if (end < start) throw Error(ErrorCode::opencl_error, "the device's kernels end before they start");
  return {static_cast<double>(end - start) * 1e-6, events.size()};
}

}  // namespace clgemm::bench

// The dynamic linker takes this definition, in the program, before the OpenCL library's. See CMakeLists.txt.
extern "C" CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                                  cl_uint dimensions, const size_t* offset,
                                                                  const size_t* global, const size_t* local,
                                                                  cl_uint wait_count,
                                                                  const cl_event* wait_for, cl_event* event) {
  static const auto enqueue = clgemm::bench::opencl_library_function();
  if (enqueue == nullptr) return CL_INVALID_OPERATION;
  if (!clgemm::bench::is_recording(queue)) {
    return enqueue(queue, kernel, dimensions, offset, global, local, wait_count, wait_for, event);
  }
  cl_event launched = nullptr;
  const cl_int status =
      enqueue(queue, kernel, dimensions, offset, global, local, wait_count, wait_for, &launched);
  if (status != CL_SUCCESS) return status;
  clgemm::bench::record(launched);
  if (event != nullptr) {
    *event = launched;
  } else {
    clReleaseEvent(launched);
  }
  return status;
}
