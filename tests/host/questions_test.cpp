// The queries of a call to OpenCL about buffers. For the caller's buffers, each fact is queried once, because
// a call is checked once. For clgemm's own buffers there are none, because clgemm knows them. The program's
// definition of clGetMemObjectInfo comes before that of the OpenCL library.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/platform/library.hpp"
#include "context/context.hpp"
#include "support/on_device.hpp"

namespace clgemm {
namespace {

using namespace test;

using Question = std::pair<cl_mem, cl_mem_info>;

struct Questions {
  std::mutex mutex;
  std::vector<Question> all;
};

Questions& questions() {
  static auto* const result = new Questions;
  return *result;
}

// Returns the queries of the call when clgemm knows its shape and has built its kernels.
template <class Call>
std::vector<Question> asked_by(const Call& call) {
  call();
  {
    const std::lock_guard lock(questions().mutex);
    questions().all.clear();
  }
  call();
  const std::lock_guard lock(questions().mutex);
  return questions().all;
}

constexpr std::size_t side = 32;

struct HostMatrices {
  std::vector<float> a = std::vector<float>(side * side, 1.0f);
  std::vector<float> b = a;
  std::vector<float> c = a;

  void multiply(Context::State& state) {
    const SgemmCall call{
        {side, side, side}, Layout::column_major, Transpose::no, Transpose::yes, 1, 1, side, side, side};
    state.host().multiply(check_host_gemm(call, a.data(), b.data(), c.data()), {});
  }
};

TEST_CASE("a call on host matrices queries nothing about the buffers that clgemm makes for them") {
  Context::State state(shared_device());
  HostMatrices matrices;
  CHECK(asked_by([&] { matrices.multiply(state); }).empty());
}

TEST_CASE("a call on copies of host matrices queries nothing about the buffers that hold them") {
  Context::State state(shared_device());
  state.host().always_copy();
  HostMatrices matrices;
  CHECK(asked_by([&] { matrices.multiply(state); }).empty());
}

TEST_CASE("a call on buffers queries each property of them once") {
  Context& context = shared_context();
  const std::vector<float> ones(side * side, 1.0f);
  const cl::Buffer a = make_buffer(ones);
  const cl::Buffer b = make_buffer(ones);
  const cl::Buffer c = make_buffer(ones);
  std::vector<Question> asked = asked_by([&] {
    context.sgemm(context.queue(), Layout::column_major, Transpose::no, Transpose::no, side, side, side, 1.0f,
                  {a(), side}, {b(), side}, 0.0f, {c(), side});
  });
  CHECK_FALSE(asked.empty());
  std::sort(asked.begin(), asked.end());
  CHECK(std::adjacent_find(asked.begin(), asked.end()) == asked.end());
  CHECK(cl::CommandQueue(context.queue(), true).finish() == CL_SUCCESS);
}

}  // namespace
}  // namespace clgemm

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info parameter, size_t size, void* value,
                                     size_t* size_of_value) {
  static auto* const real =
      reinterpret_cast<decltype(&clGetMemObjectInfo)>(clgemm::opencl_function("clGetMemObjectInfo"));
  {
    const std::lock_guard lock(clgemm::questions().mutex);
    clgemm::questions().all.emplace_back(memory, parameter);
  }
  return real(memory, parameter, size, value, size_of_value);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
