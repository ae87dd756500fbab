// What OpenCL-CLHPP's classes do unsafely where a retain or a release fails, which drivers that are out of
// memory or have lost their device let happen. Its assignment keeps a handle that it could not retain, and
// getInfo() of a handle does; both release that later, which is one release too many. Its assignment also
// throws where the old handle's release fails, with half of a larger object assigned; there is nothing to do
// about such a release, and nothing depends on it.
//
// So no handle of an object that lives on, and no list of them, is assigned to by `=` but where it is empty
// or the value is a list that moves; and getInfo() is not asked for handles.
#pragma once

#include <utility>

#include "base/opencl.hpp"

namespace clgemm {

// Gives an object, or a struct or list of objects, another value. What was in it is released, as well as that
// goes.
template <class Objects>
void assign(Objects& to, Objects value) noexcept {
  std::swap(to, value);
}

// A handle that an object names. It is not retained: to be looked at while the object lives.
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

// What OpenCL says of a buffer that is not retained.
template <class Value>
Value info_of(cl_mem memory, cl_mem_info what) {
  Value result{};
  const cl_int status = clGetMemObjectInfo(memory, what, sizeof result, &result, nullptr);
  if (status != CL_SUCCESS) throw cl::Error(status, "clGetMemObjectInfo");
  return result;
}

}  // namespace clgemm
