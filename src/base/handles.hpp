// Replaces operations of OpenCL-CLHPP's classes that are unsafe if a retain or a release fails. This happens
// in drivers that are out of memory or have lost their device. An assignment keeps a handle that it could not
// retain, and so does getInfo() of a handle. Both release the handle later, which is one release too many. An
// assignment also throws if the release of the old handle fails, and leaves a larger object half assigned.
// Such a failed release cannot be repaired, and nothing depends on it.
//
// So `=` is used for handles of living objects, and for lists of them, only if the target is empty or the
// value is a list that moves. getInfo() is not used for handles.
#pragma once

#include <utility>

#include "base/opencl.hpp"

namespace clgemm {

// Assigns a new value to an object, or to a struct or list of objects. The old value is released if possible.
template <class Objects>
void assign(Objects& to, Objects value) noexcept {
  std::swap(to, value);
}

// Returns a handle that an object names. It is not retained, so use it only while the object lives.
template <class Handle, class Ask, class Object>
Handle handle_of(Ask&& ask, const char* name, const Object& object, cl_uint parameter) {
  Handle result = nullptr;
  const cl_int status = ask(object(), parameter, sizeof result, &result, nullptr);
  if (status != CL_SUCCESS) throw cl::Error(status, name);
  return result;
}

inline cl_context context_of(const cl::CommandQueue& queue) {
  return handle_of<cl_context>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_CONTEXT);
}

inline cl_device_id device_of(const cl::CommandQueue& queue) {
  return handle_of<cl_device_id>(clGetCommandQueueInfo, "clGetCommandQueueInfo", queue, CL_QUEUE_DEVICE);
}

inline cl_context context_of(const cl::Event& event) {
  return handle_of<cl_context>(clGetEventInfo, "clGetEventInfo", event, CL_EVENT_CONTEXT);
}

// Returns OpenCL's information on a buffer that is not retained.
template <class Value>
Value info_of(cl_mem memory, cl_mem_info what) {
  Value result{};
  const cl_int status = clGetMemObjectInfo(memory, what, sizeof result, &result, nullptr);
  if (status != CL_SUCCESS) throw cl::Error(status, "clGetMemObjectInfo");
  return result;
}

}  // namespace clgemm
