#include "clblast/status.hpp"

#include <cstdio>
#include <new>

namespace clgemm::clblast_names {
namespace {

using clblast::StatusCode;

StatusCode status_by_code(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::invalid_leading_dimension:
    case ErrorCode::buffer_too_small:
      return StatusCode::kInvalidValue;
    case ErrorCode::wrong_context:
      return error.argument() == Argument::queue ? StatusCode::kInvalidCommandQueue
                                                 : StatusCode::kInvalidMemObject;
    case ErrorCode::build_failed:
      return StatusCode::kOpenCLBuildProgramFailure;
    case ErrorCode::out_of_memory:
      return StatusCode::kTempBufferAllocFailure;
    case ErrorCode::device_limit_exceeded:
    case ErrorCode::device_lost:
      return StatusCode::kOpenCLOutOfResources;
    case ErrorCode::opencl_error:
      return StatusCode::kUnknownError;
    default:
      return StatusCode::kUnexpectedError;
  }
}

void say(const char* text) {
  std::fprintf(stderr, "clgemm_clblast: %s\n", text);
}

}  // namespace

StatusCode status_of(const Error& error) {
  say(error.what());
  return status_by_code(error);
}

StatusCode status_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return status_of(error);
  } catch (const std::bad_alloc&) {
    return StatusCode::kOpenCLOutOfHostMemory;
  } catch (const std::exception& error) {
    say(error.what());
    return StatusCode::kUnexpectedError;
  } catch (...) {
    say("an exception of an unknown type");
    return StatusCode::kUnexpectedError;
  }
}

}  // namespace clgemm::clblast_names
