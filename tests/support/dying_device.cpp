// The functions of a dead context return what they returned on an H200 (driver 580) after a kernel had waited
// forever. Functions without a definition here work as usual, as they did there.
#include "dying_device.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "base/platform/library.hpp"

namespace clgemm::test {
namespace {

std::atomic<bool> is_dead{false};

// Returns the function of the OpenCL library that a definition here replaces.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(opencl_function(name));
}

cl_int if_alive(cl_int status, cl_int when_dead) {
  return is_dead ? when_dead : status;
}

bool is_built_with_option_of(const char* variable, cl_kernel kernel, cl_command_queue queue) {
  const char* wanted = std::getenv(variable);
  if (wanted == nullptr) return false;
  cl_program program = nullptr;
  cl_device_id device = nullptr;
  std::size_t length = 0;
  clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, nullptr, &length);
  std::string options(length, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, length, options.data(), nullptr);
  return options.find(wanted) != std::string::npos;
}

}  // namespace

void kill_device() {
  is_dead = true;
}

void revive_device() {
  is_dead = false;
}

}  // namespace clgemm::test

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

using namespace clgemm::test;

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
                              const cl_event* wait_for, cl_event* event) {
  static auto* const real = next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  if (is_built_with_option_of("CLGEMM_TEST_OPTION_WITHOUT_RESOURCES", kernel, queue))
    return CL_OUT_OF_RESOURCES;
  if (is_built_with_option_of("CLGEMM_TEST_DEADLY_OPTION", kernel, queue)) kill_device();
  return real(queue, kernel, dimensions, offset, global, local, count, wait_for, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void* host, cl_uint count, const cl_event* wait_for,
                            cl_event* event) {
  static auto* const real = next(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  return if_alive(real(queue, buffer, blocking, offset, size, host, count, wait_for, event),
                  CL_OUT_OF_RESOURCES);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* host, cl_uint count, const cl_event* wait_for,
                           cl_event* event) {
  static auto* const real = next(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  return if_alive(real(queue, buffer, blocking, offset, size, host, count, wait_for, event),
                  CL_OUT_OF_RESOURCES);
}

void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint count, const cl_event* wait_for, cl_event* event,
                         cl_int* status) {
  static auto* const real = next(&clEnqueueMapBuffer, "clEnqueueMapBuffer");
  if (!is_dead) return real(queue, buffer, blocking, flags, offset, size, count, wait_for, event, status);
  if (status != nullptr) *status = CL_INVALID_COMMAND_QUEUE;
  return nullptr;
}

cl_int clFlush(cl_command_queue queue) {
  static auto* const real = next(&clFlush, "clFlush");
  return if_alive(real(queue), CL_OUT_OF_RESOURCES);
}

cl_int clFinish(cl_command_queue queue) {
  static auto* const real = next(&clFinish, "clFinish");
  return if_alive(real(queue), CL_INVALID_COMMAND_QUEUE);
}

cl_int clWaitForEvents(cl_uint count, const cl_event* events) {
  static auto* const real = next(&clWaitForEvents, "clWaitForEvents");
  return if_alive(real(count, events), CL_OUT_OF_RESOURCES);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* user) {
  static auto* const real = next(&clBuildProgram, "clBuildProgram");
  return if_alive(real(program, count, devices, options, notify, user), CL_OUT_OF_RESOURCES);
}

cl_context clCreateContext(const cl_context_properties* properties, cl_uint count,
                           const cl_device_id* devices,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user,
                           cl_int* status) {
  static auto* const real = next(&clCreateContext, "clCreateContext");
  if (!is_dead) return real(properties, count, devices, notify, user, status);
  if (status != nullptr) *status = CL_OUT_OF_RESOURCES;
  return nullptr;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
