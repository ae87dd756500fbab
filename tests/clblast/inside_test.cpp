// Parts of CLBlast's interface that programs only reach if a device fails, or with matrices larger than
// memory.
#include <limits>

#include "clblast/checks.hpp"
#include "clblast/status.hpp"
#include "support/catch.hpp"

namespace clgemm::clblast_names {
namespace {

using clblast::StatusCode;

TEST_CASE("each kind of error has a status of CLBlast") {
  const auto status = [](ErrorCode code, Argument argument = Argument::none) {
    return status_of(Error(code, to_string(code), argument));
  };
  CHECK(status(ErrorCode::build_failed) == StatusCode::kOpenCLBuildProgramFailure);
  CHECK(status(ErrorCode::out_of_memory) == StatusCode::kTempBufferAllocFailure);
  CHECK(status(ErrorCode::device_lost) == StatusCode::kOpenCLOutOfResources);
  CHECK(status(ErrorCode::device_limit_exceeded) == StatusCode::kOpenCLOutOfResources);
  CHECK(status(ErrorCode::opencl_error) == StatusCode::kUnknownError);
  CHECK(status(ErrorCode::wrong_context, Argument::queue) == StatusCode::kInvalidCommandQueue);
  CHECK(status(ErrorCode::wrong_context, Argument::b) == StatusCode::kInvalidMemObject);
  CHECK(status(ErrorCode::invalid_argument, Argument::c) == StatusCode::kInvalidValue);
  for (const auto code : {ErrorCode::internal_error, ErrorCode::self_test_failed, ErrorCode::forked_process})
    CHECK(status(code) == StatusCode::kUnexpectedError);
}

TEST_CASE("no exception leaves a C function") {
  const auto status = [](const auto& thrown) {
    try {
      throw thrown;
    } catch (...) {
      return status_of_current_exception();
    }
  };
  CHECK(status(std::bad_alloc()) == StatusCode::kOpenCLOutOfHostMemory);
  CHECK(status(std::runtime_error("anything")) == StatusCode::kUnexpectedError);
  CHECK(status(Error(ErrorCode::out_of_memory, "a device")) == StatusCode::kTempBufferAllocFailure);
  CHECK(status(5) == StatusCode::kUnexpectedError);
}

TEST_CASE("positions beyond 64 bits are outside of every buffer") {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  CHECK(last_offset(5, 7, 3) == 19);
  CHECK(last_offset(5, 7, 1) == 5);
  CHECK(last_offset(5, largest / 2, 4) == largest);
  CHECK(last_offset(largest, 1, 2) == largest);
}

}  // namespace
}  // namespace clgemm::clblast_names
