// Errors: the names of OpenCL's codes, and the only place that converts exceptions of OpenCL-CLHPP and of the
// standard library to clgemm::Error.
#pragma once

#include <clgemm/error.hpp>
#include <exception>
#include <new>
#include <string>

#include "base/opencl.hpp"

namespace clgemm {

// Returns "CL_INVALID_BUFFER_SIZE (-61)", or only the number if the code is not in the specification.
std::string opencl_status_name(cl_int status);

// Returns the Error for a failed OpenCL call: out_of_memory for the codes that mean it, otherwise
// opencl_error.
Error from_opencl(const cl::Error& failure);

// Runs the body of a public function. Every exception leaves it as a clgemm::Error.
template <class Body>
auto at_boundary(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const cl::Error& failure) {
    throw from_opencl(failure);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "the host is out of memory");
  } catch (const std::exception& failure) {
    throw Error(ErrorCode::internal_error, failure.what());
  }
}

}  // namespace clgemm
