// The names of error codes, and the conversion of foreign exceptions.
#include "base/error.hpp"

#include <set>
#include <stdexcept>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::thrown_by;

TEST_CASE("every code has its own name") {
  std::set<std::string> names;
  constexpr int last = static_cast<int>(ErrorCode::matrices_in_use);
  for (int code = 1; code <= last; ++code) names.insert(to_string(static_cast<ErrorCode>(code)));
  CHECK(names.size() == static_cast<std::size_t>(last));
  CHECK(names.count("unknown") == 0);
  CHECK(std::string(to_string(ErrorCode::buffer_too_small)) == "buffer_too_small");
  CHECK(std::string(to_string(static_cast<ErrorCode>(999))) == "unknown");
}

TEST_CASE("errors show OpenCL's codes by name") {
  CHECK(opencl_status_name(CL_INVALID_BUFFER_SIZE) == "CL_INVALID_BUFFER_SIZE (-61)");
  CHECK(opencl_status_name(-1001) == "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
  CHECK(opencl_status_name(-9999) == "status -9999");
}

TEST_CASE("OpenCL's codes for lack of memory become out_of_memory") {
  for (const cl_int status : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                              CL_INVALID_BUFFER_SIZE}) {
    CHECK(from_opencl(cl::Error(status, "clCreateBuffer")).code() == ErrorCode::out_of_memory);
  }
  const Error other = from_opencl(cl::Error(CL_INVALID_KERNEL_ARGS, "clEnqueueNDRangeKernel"));
  CHECK(other.code() == ErrorCode::opencl_error);
  CHECK(std::string(other.what()) == "clEnqueueNDRangeKernel failed: CL_INVALID_KERNEL_ARGS (-52)");
}

TEST_CASE("at_boundary() turns every exception into an Error") {
  CHECK(at_boundary([] { return 7; }) == 7);
  CHECK_ERROR([] { at_boundary([] { throw Error(ErrorCode::build_failed, "log"); }); }, build_failed, "log");
  CHECK_ERROR([] { at_boundary([] { throw cl::Error(CL_INVALID_EVENT, "clWaitForEvents"); }); }, opencl_error,
              "CL_INVALID_EVENT");
  CHECK_ERROR([] { at_boundary([] { throw std::bad_alloc(); }); }, out_of_memory, "host");
  CHECK_ERROR([] { at_boundary([] { throw std::logic_error("defect"); }); }, internal_error, "defect");
}

}  // namespace
}  // namespace clgemm
