#include "base/error.hpp"

#include <fmt/format.h>

namespace clgemm {
namespace {

struct Name {
  int code;
  const char* text;
};

#define CLGEMM_NAME(code) \
  { code, #code }
constexpr Name status_names[] = {
    CLGEMM_NAME(CL_DEVICE_NOT_FOUND),
    CLGEMM_NAME(CL_DEVICE_NOT_AVAILABLE),
    CLGEMM_NAME(CL_COMPILER_NOT_AVAILABLE),
    CLGEMM_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CLGEMM_NAME(CL_OUT_OF_RESOURCES),
    CLGEMM_NAME(CL_OUT_OF_HOST_MEMORY),
    CLGEMM_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    CLGEMM_NAME(CL_MEM_COPY_OVERLAP),
    CLGEMM_NAME(CL_BUILD_PROGRAM_FAILURE),
    CLGEMM_NAME(CL_MAP_FAILURE),
    CLGEMM_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CLGEMM_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CLGEMM_NAME(CL_COMPILE_PROGRAM_FAILURE),
    CLGEMM_NAME(CL_LINKER_NOT_AVAILABLE),
    CLGEMM_NAME(CL_LINK_PROGRAM_FAILURE),
    CLGEMM_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CLGEMM_NAME(CL_INVALID_VALUE),
    CLGEMM_NAME(CL_INVALID_DEVICE_TYPE),
    CLGEMM_NAME(CL_INVALID_PLATFORM),
    CLGEMM_NAME(CL_INVALID_DEVICE),
    CLGEMM_NAME(CL_INVALID_CONTEXT),
    CLGEMM_NAME(CL_INVALID_QUEUE_PROPERTIES),
    CLGEMM_NAME(CL_INVALID_COMMAND_QUEUE),
    CLGEMM_NAME(CL_INVALID_HOST_PTR),
    CLGEMM_NAME(CL_INVALID_MEM_OBJECT),
    CLGEMM_NAME(CL_INVALID_BINARY),
    CLGEMM_NAME(CL_INVALID_BUILD_OPTIONS),
    CLGEMM_NAME(CL_INVALID_PROGRAM),
    CLGEMM_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    CLGEMM_NAME(CL_INVALID_KERNEL_NAME),
    CLGEMM_NAME(CL_INVALID_KERNEL_DEFINITION),
    CLGEMM_NAME(CL_INVALID_KERNEL),
    CLGEMM_NAME(CL_INVALID_ARG_INDEX),
    CLGEMM_NAME(CL_INVALID_ARG_VALUE),
    CLGEMM_NAME(CL_INVALID_ARG_SIZE),
    CLGEMM_NAME(CL_INVALID_KERNEL_ARGS),
    CLGEMM_NAME(CL_INVALID_WORK_DIMENSION),
    CLGEMM_NAME(CL_INVALID_WORK_GROUP_SIZE),
    CLGEMM_NAME(CL_INVALID_WORK_ITEM_SIZE),
    CLGEMM_NAME(CL_INVALID_GLOBAL_OFFSET),
    CLGEMM_NAME(CL_INVALID_EVENT_WAIT_LIST),
    CLGEMM_NAME(CL_INVALID_EVENT),
    CLGEMM_NAME(CL_INVALID_OPERATION),
    CLGEMM_NAME(CL_INVALID_BUFFER_SIZE),
    CLGEMM_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    CLGEMM_NAME(CL_INVALID_PROPERTY),
    Name{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef CLGEMM_NAME

bool means_out_of_memory(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
         status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

std::string opencl_status_name(cl_int status) {
  for (const Name& name : status_names) {
    if (name.code == status) return fmt::format("{} ({})", name.text, status);
  }
  return fmt::format("status {}", status);
}

Error from_opencl(const cl::Error& failure) {
  const ErrorCode code =
      means_out_of_memory(failure.err()) ? ErrorCode::out_of_memory : ErrorCode::opencl_error;
  return Error(code, fmt::format("{} failed: {}", failure.what(), opencl_status_name(failure.err())));
}

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::invalid_leading_dimension:
      return "invalid_leading_dimension";
    case ErrorCode::buffer_too_small:
      return "buffer_too_small";
    case ErrorCode::wrong_context:
      return "wrong_context";
    case ErrorCode::device_not_found:
      return "device_not_found";
    case ErrorCode::kernel_not_found:
      return "kernel_not_found";
    case ErrorCode::invalid_kernel_file:
      return "invalid_kernel_file";
    case ErrorCode::invalid_parameter:
      return "invalid_parameter";
    case ErrorCode::requirement_failed:
      return "requirement_failed";
    case ErrorCode::device_limit_exceeded:
      return "device_limit_exceeded";
    case ErrorCode::build_failed:
      return "build_failed";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::opencl_error:
      return "opencl_error";
    case ErrorCode::internal_error:
      return "internal_error";
    case ErrorCode::self_test_failed:
      return "self_test_failed";
    case ErrorCode::device_lost:
      return "device_lost";
    case ErrorCode::forked_process:
      return "forked_process";
    case ErrorCode::matrices_in_use:
      return "matrices_in_use";
  }
  return "unknown";
}

}  // namespace clgemm
