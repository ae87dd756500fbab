#define CL_TARGET_OPENCL_VERSION 120
#include "failing_device.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>

#include "base/platform/library.hpp"

namespace clgemm::test {
namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

struct Plan {
  std::mutex mutex;
  cl_device_id device = nullptr;
  std::size_t kernels = never;
  std::size_t reads = never;
  bool loses_all = false;  // when no kernels are left
  std::size_t kernels_before_one = never;
  cl_int status_of_one = CL_SUCCESS;  // CL_SUCCESS means that it is dropped
  cl_event dropped = nullptr;
};

Plan& plan() {
  static auto* const result = new Plan;
  return *result;
}
std::atomic<int> read_milliseconds{0};
std::atomic<int> failing_maps{0};
std::atomic<int> failing_finishes{0};

// Returns the function of the OpenCL library that a definition here replaces.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(opencl_function(name));
}

bool is_meant(cl_command_queue queue) {
  cl_device_id device = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  return plan().device == nullptr || plan().device == device;
}

bool counts_down(std::size_t& left) {
  if (left == never) return true;
  if (left == 0) return false;
  --left;
  return true;
}

bool may_read(cl_command_queue queue) {
  const std::lock_guard lock(plan().mutex);
  return !is_meant(queue) || (plan().kernels != 0 && counts_down(plan().reads));
}

bool may_run(cl_command_queue queue) {
  const std::lock_guard lock(plan().mutex);
  return !is_meant(queue) || counts_down(plan().kernels);
}

bool is_lost(cl_command_queue queue) {
  const std::lock_guard lock(plan().mutex);
  return plan().loses_all && plan().kernels == 0 && is_meant(queue);
}

bool is_lost(cl_event event) {
  static auto* const real = next(&clGetEventInfo, "clGetEventInfo");
  cl_command_queue queue = nullptr;
  real(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
  return queue != nullptr && is_lost(queue);
}

// Returns true if the kernel that is enqueued now must fail.
bool is_the_one() {
  const std::lock_guard lock(plan().mutex);
  if (plan().kernels_before_one == never) return false;
  if (plan().kernels_before_one-- != 0) return false;
  plan().kernels_before_one = never;
  return true;
}

bool fails_now(std::atomic<int>& calls) {
  for (int left = calls; left > 0;) {
    if (calls.compare_exchange_weak(left, left - 1)) return true;
  }
  return false;
}

}  // namespace

void fail_after_kernels(cl_device_id device, std::size_t kernels) {
  const std::lock_guard lock(plan().mutex);
  plan().device = device;
  plan().kernels = kernels;
}

void fail_after_reads(cl_device_id device, std::size_t reads) {
  const std::lock_guard lock(plan().mutex);
  plan().device = device;
  plan().reads = reads;
}

void lose_after_kernels(cl_device_id device, std::size_t kernels) {
  fail_after_kernels(device, kernels);
  const std::lock_guard lock(plan().mutex);
  plan().loses_all = true;
}

void fail_one_kernel(std::size_t kernels, cl_int status) {
  const std::lock_guard lock(plan().mutex);
  plan().kernels_before_one = kernels;
  plan().status_of_one = status;
}

void drop_one_kernel(std::size_t kernels) {
  fail_one_kernel(kernels, CL_SUCCESS);
}

void slow_reads(int milliseconds) {
  read_milliseconds = milliseconds;
}

void fail_maps(int calls) {
  failing_maps = calls;
}

void fail_finishes(int calls) {
  failing_finishes = calls;
}

void heal() {
  const std::lock_guard lock(plan().mutex);
  plan().kernels = plan().reads = plan().kernels_before_one = never;
  plan().loses_all = false;
  plan().dropped = nullptr;
  read_milliseconds = failing_maps = failing_finishes = 0;
}

}  // namespace clgemm::test

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

using namespace clgemm::test;

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
                              const cl_event* wait_for, cl_event* event) {
  static auto* const real = next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  if (!may_run(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (is_the_one()) {
    if (plan().status_of_one != CL_SUCCESS) return plan().status_of_one;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, count, wait_for, event);
    plan().dropped = *event;
    return status;
  }
  return real(queue, kernel, dimensions, offset, global, local, count, wait_for, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* host, cl_uint count, const cl_event* wait_for,
                           cl_event* event) {
  static auto* const real = next(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  std::this_thread::sleep_for(std::chrono::milliseconds(read_milliseconds));
  if (!may_read(queue)) return CL_INVALID_COMMAND_QUEUE;
  return real(queue, buffer, blocking, offset, size, host, count, wait_for, event);
}

void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint count, const cl_event* wait_for, cl_event* event,
                         cl_int* status) {
  static auto* const real = next(&clEnqueueMapBuffer, "clEnqueueMapBuffer");
  if (!fails_now(failing_maps) && !is_lost(queue))
    return real(queue, buffer, blocking, flags, offset, size, count, wait_for, event, status);
  if (status != nullptr) *status = CL_MAP_FAILURE;
  return nullptr;
}

cl_int clFinish(cl_command_queue queue) {
  static auto* const real = next(&clFinish, "clFinish");
  if (is_lost(queue)) return CL_INVALID_COMMAND_QUEUE;
  return fails_now(failing_finishes) ? CL_OUT_OF_HOST_MEMORY : real(queue);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* wait_for,
                                   cl_event* event) {
  static auto* const real = next(&clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList");
  return is_lost(queue) ? CL_INVALID_COMMAND_QUEUE : real(queue, count, wait_for, event);
}

cl_int clWaitForEvents(cl_uint count, const cl_event* events) {
  static auto* const real = next(&clWaitForEvents, "clWaitForEvents");
  for (cl_uint i = 0; i < count; ++i) {
    if (is_lost(events[i])) return CL_INVALID_COMMAND_QUEUE;
  }
  return real(count, events);
}

cl_int clGetEventInfo(cl_event event, cl_event_info parameter, size_t size, void* value, size_t* needed) {
  static auto* const real = next(&clGetEventInfo, "clGetEventInfo");
  if (parameter == CL_EVENT_COMMAND_EXECUTION_STATUS) {
    if (is_lost(event)) return CL_INVALID_COMMAND_QUEUE;
    if (event == plan().dropped) {
      *static_cast<cl_int*>(value) = CL_INVALID_OPERATION;
      return CL_SUCCESS;
    }
  }
  return real(event, parameter, size, value, needed);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
