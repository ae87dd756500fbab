#include "call/arguments.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/handles.hpp"
#include "call/aliasing.hpp"
#include "call/shared_memory.hpp"

namespace clgemm {
namespace {

void check_pointer(const char* name, const float* pointer, Argument argument) {
  if (pointer == nullptr) throw Error(ErrorCode::invalid_argument, fmt::format("{} is null", name), argument);
}

void check_host_matrices(const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                         const float* c) {
  if (reads_a_and_b(call)) {
    check_pointer("a", a, Argument::a);
    check_pointer("b", b, Argument::b);
  }
  if (extents.c == 0) return;
  check_pointer("c", c, Argument::c);
  const auto region = [&call](const float* matrix, const Lines& lines, std::size_t stride) {
    const auto address = reinterpret_cast<std::uintptr_t>(matrix);
    return Region{static_cast<std::int64_t>(address / sizeof(float)), lines, call.batch_count, stride};
  };
  const Region region_c = region(c, lines_of_c(call), call.stride_c);
  check_batch_of_c(region_c);
  if (!reads_a_and_b(call)) return;
  if (overlaps(region_c, region(a, lines_of_a(call), call.stride_a))) refuse_overlap("A");
  if (overlaps(region_c, region(b, lines_of_b(call), call.stride_b))) refuse_overlap("B");
}

DeviceGemm place_gemm(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                      const DeviceMatrix& b, const DeviceMatrix& c, const Surroundings& surroundings) {
  DeviceGemm gemm{canonical(call), {}, {}, call.layout};
  gemm.buffers = place_operands(call, extents, a, b, c, surroundings, gemm.problem);
  check_scratch(surroundings, gemm.buffers);
  return gemm;
}

}  // namespace

void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device) {
  if (queue() == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null", Argument::queue);
  if (context_of(queue) != context() || device_of(queue) != device()) {
    throw Error(ErrorCode::wrong_context,
                "the queue does not belong to the OpenCL context and device of this clgemm::Context",
                Argument::queue);
  }
}

DeviceGemm check_device_gemm(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                             const DeviceMatrix& c, const Surroundings& surroundings) try {
  const Extents extents = check_call(call);
  if (is_pointer(a) || is_pointer(b) || is_pointer(c)) {
    DeviceMatrix on_a = a;
    DeviceMatrix on_b = b;
    DeviceMatrix on_c = c;
    std::vector<UsedMatrix> used;
    add_used(call, extents, on_a, on_b, on_c, used);
    std::vector<cl::Buffer> buffers = put_on_buffers(used, surroundings);
    DeviceGemm gemm = place_gemm(call, extents, on_a, on_b, on_c, surroundings);
    gemm.kept = std::move(buffers);
    return gemm;
  }
  return place_gemm(call, extents, a, b, c, surroundings);
} catch (const Error& error) {
  throw suspect_exchange(error, call, a, b, c);
}

HostGemm check_host_gemm(const SgemmCall& call, const float* a, const float* b, float* c) {
  check_host_matrices(call, check_call(call), a, b, c);
  if (call.layout == Layout::column_major) std::swap(a, b);
  return {canonical(call), a, b, c};
}

Problem check_shape(const SgemmShape& shape, const Device& device) {
  const SgemmCall call = call_of(shape);
  check_call(call);
  Problem problem = canonical(call);
  const bool exchanged = call.layout == Layout::column_major;
  problem.a.offset = exchanged ? shape.offset_b : shape.offset_a;
  problem.b.offset = exchanged ? shape.offset_a : shape.offset_b;
  problem.a.base_alignment = problem.b.base_alignment = base_alignment(device);
  return problem;
}

Problem check_host_shape(const SgemmShape& shape) {
  SgemmCall call = call_of(shape);
  call.stride_c = check_call(call).c;  // a shape means one C, or one C per GEMM
  return canonical(call);
}

}  // namespace clgemm
