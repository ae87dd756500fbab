// Definitions of the OpenCL functions that create, retain and release. They come before those of the OpenCL
// library, count, and call the library's functions.
#include "live_objects.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>

namespace clgemm::test {
namespace {

struct Counters {
  std::atomic<long> contexts{0}, queues{0}, buffers{0}, programs{0}, kernels{0}, events{0};
};
Counters counters;

// Returns the function of the OpenCL library that a definition here replaces.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Counts a new object, if there is one.
template <class Handle>
Handle created(Handle handle, std::atomic<long>& counter) {
  if (handle != nullptr) ++counter;
  return handle;
}

// Counts the event of a command, if the caller requested one.
cl_int enqueued(cl_int status, const cl_event* event) {
  if (status == CL_SUCCESS && event != nullptr) ++counters.events;
  return status;
}

cl_int counted(cl_int status, std::atomic<long>& counter, long change) {
  if (status == CL_SUCCESS) counter += change;
  return status;
}

}  // namespace

LiveObjects live_objects() {
  return {counters.contexts, counters.queues,  counters.buffers,
          counters.programs, counters.kernels, counters.events};
}

std::string describe(const LiveObjects& objects) {
  return std::to_string(objects.total()) + " (" + std::to_string(objects.contexts) + " contexts, " +
         std::to_string(objects.queues) + " queues, " + std::to_string(objects.buffers) + " buffers, " +
         std::to_string(objects.programs) + " programs, " + std::to_string(objects.kernels) + " kernels, " +
         std::to_string(objects.events) + " events)";
}

}  // namespace clgemm::test

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

using namespace clgemm::test;

cl_context clCreateContext(const cl_context_properties* properties, cl_uint count,
                           const cl_device_id* devices,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user,
                           cl_int* status) {
  static auto* const real = next(&clCreateContext, "clCreateContext");
  return created(real(properties, count, devices, notify, user, status), counters.contexts);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int* status) {
  static auto* const real = next(&clCreateCommandQueue, "clCreateCommandQueue");
  return created(real(context, device, properties, status), counters.queues);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* status) {
  static auto* const real = next(&clCreateBuffer, "clCreateBuffer");
  return created(real(context, flags, size, host, status), counters.buffers);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts,
                                     const size_t* lengths, cl_int* status) {
  static auto* const real = next(&clCreateProgramWithSource, "clCreateProgramWithSource");
  return created(real(context, count, texts, lengths, status), counters.programs);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const size_t* lengths, const unsigned char** binaries, cl_int* statuses,
                                     cl_int* status) {
  static auto* const real = next(&clCreateProgramWithBinary, "clCreateProgramWithBinary");
  return created(real(context, count, devices, lengths, binaries, statuses, status), counters.programs);
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* status) {
  static auto* const real = next(&clCreateKernel, "clCreateKernel");
  return created(real(program, name, status), counters.kernels);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
                              const cl_event* wait_for, cl_event* event) {
  static auto* const real = next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  return enqueued(real(queue, kernel, dimensions, offset, global, local, count, wait_for, event), event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* wait_for,
                                   cl_event* event) {
  static auto* const real = next(&clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList");
  return enqueued(real(queue, count, wait_for, event), event);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped, cl_uint count,
                               const cl_event* wait_for, cl_event* event) {
  static auto* const real = next(&clEnqueueUnmapMemObject, "clEnqueueUnmapMemObject");
  return enqueued(real(queue, memory, mapped, count, wait_for, event), event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void* host, cl_uint count, const cl_event* wait_for,
                            cl_event* event) {
  static auto* const real = next(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  return enqueued(real(queue, buffer, blocking, offset, size, host, count, wait_for, event), event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* host, cl_uint count, const cl_event* wait_for,
                           cl_event* event) {
  static auto* const real = next(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  return enqueued(real(queue, buffer, blocking, offset, size, host, count, wait_for, event), event);
}

cl_int clRetainContext(cl_context context) {
  static auto* const real = next(&clRetainContext, "clRetainContext");
  return counted(real(context), counters.contexts, 1);
}
cl_int clReleaseContext(cl_context context) {
  static auto* const real = next(&clReleaseContext, "clReleaseContext");
  return counted(real(context), counters.contexts, -1);
}
cl_int clRetainCommandQueue(cl_command_queue queue) {
  static auto* const real = next(&clRetainCommandQueue, "clRetainCommandQueue");
  return counted(real(queue), counters.queues, 1);
}
cl_int clReleaseCommandQueue(cl_command_queue queue) {
  static auto* const real = next(&clReleaseCommandQueue, "clReleaseCommandQueue");
  return counted(real(queue), counters.queues, -1);
}
cl_int clRetainMemObject(cl_mem memory) {
  static auto* const real = next(&clRetainMemObject, "clRetainMemObject");
  return counted(real(memory), counters.buffers, 1);
}
cl_int clReleaseMemObject(cl_mem memory) {
  static auto* const real = next(&clReleaseMemObject, "clReleaseMemObject");
  return counted(real(memory), counters.buffers, -1);
}
cl_int clRetainProgram(cl_program program) {
  static auto* const real = next(&clRetainProgram, "clRetainProgram");
  return counted(real(program), counters.programs, 1);
}
cl_int clReleaseProgram(cl_program program) {
  static auto* const real = next(&clReleaseProgram, "clReleaseProgram");
  return counted(real(program), counters.programs, -1);
}
cl_int clRetainKernel(cl_kernel kernel) {
  static auto* const real = next(&clRetainKernel, "clRetainKernel");
  return counted(real(kernel), counters.kernels, 1);
}
cl_int clReleaseKernel(cl_kernel kernel) {
  static auto* const real = next(&clReleaseKernel, "clReleaseKernel");
  return counted(real(kernel), counters.kernels, -1);
}
cl_int clRetainEvent(cl_event event) {
  static auto* const real = next(&clRetainEvent, "clRetainEvent");
  return counted(real(event), counters.events, 1);
}
cl_int clReleaseEvent(cl_event event) {
  static auto* const real = next(&clReleaseEvent, "clReleaseEvent");
  return counted(real(event), counters.events, -1);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
