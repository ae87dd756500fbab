// A launch that fails before C is changed: which errors are thrown, and which ones lead to another attempt.
#include "support/failing_device.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

void check_call(const Options& options) {
  const GemmCase gemm = first_choice_gemm();
  check_on_device(gemm, random_data(gemm, 3), options);
}

// The same, but the first kernel that is enqueued fails. Kernels are compiled and tested before.
void check_failing_call(cl_int status, const Options& options) {
  check_call(options);
  fail_one_kernel(0, status);
  try {
    check_call(options);
  } catch (...) {
    heal();
    throw;
  }
  heal();
}

Options named(const std::string& kernel) {
  Options result;
  result.kernel = kernel;
  return result;
}

bool has_excluded_a_kernel() {
  return contains(explain_on(shared_context(), {}), "cannot be launched");
}

TEST_CASE("an error of the call is thrown, and no kernel is excluded for it") {
  CHECK_ERROR([] { check_failing_call(CL_INVALID_KERNEL_ARGS, {}); }, opencl_error, "CL_INVALID_KERNEL_ARGS");
  CHECK_FALSE(has_excluded_a_kernel());
}

TEST_CASE("if the device does not launch a kernel that the caller named, the call fails") {
  Options options;
  name_first_choice(options);
  CHECK_ERROR([&] { check_failing_call(CL_INVALID_WORK_GROUP_SIZE, options); }, device_limit_exceeded,
              "cannot be launched");
  CHECK_FALSE(has_excluded_a_kernel());
}

TEST_CASE("a call that runs out of memory is tried again with half the scratch memory") {
  check_failing_call(CL_OUT_OF_RESOURCES, named("tiled"));  // it packs
  CHECK_ERROR([] { check_failing_call(CL_OUT_OF_RESOURCES, named("naive")); }, out_of_memory,
              "CL_OUT_OF_RESOURCES");
}

TEST_CASE("if the device does not launch a kernel, the next one is used") {
  check_failing_call(CL_INVALID_WORK_GROUP_SIZE, {});
  CHECK(has_excluded_a_kernel());
  check_call({});
}

}  // namespace
}  // namespace clgemm
