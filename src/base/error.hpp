// Errors: OpenCL's codes by name, and the one place where the exceptions of OpenCL-CLHPP and of the standard
// library become clgemm::Error.
#pragma once

#include <clgemm/error.hpp>
#include <exception>
#include <new>
#include <string>

#include "base/opencl.hpp"

namespace clgemm {

// "CL_INVALID_BUFFER_SIZE (-61)"; a number alone where the code is not in the specification.
std::string opencl_status_name(cl_int status);

// The Error that stands for a failed OpenCL call: out_of_memory for the codes that mean it, else
// opencl_error.
Error from_opencl(const cl::Error& failure);

// Runs the body of a public function. What leaves it is always a clgemm::Error.
template <class Body>
auto at_boundary(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const cl::Error& failure) {
    throw from_opencl(failure);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "the host has no memory left");
  } catch (const std::exception& failure) {
    throw Error(ErrorCode::internal_error, failure.what());
  }
}

}  // namespace clgemm
