// What can be asked before a call: prepare(), explain(), sgemm_scratch_bytes().
#include <clgemm/clgemm.hpp>

#include "base/error.hpp"
#include "call/problem.hpp"
#include "context/context.hpp"

namespace clgemm {
namespace {

// The smallest leading dimension where the shape leaves it open.
std::size_t ld_or_least(std::size_t ld, const Lines& lines) {
  return ld != 0 ? ld : std::max<std::size_t>(lines.length, 1);
}

SgemmCall call_of(const SgemmShape& shape) {
  SgemmCall call{shape.layout, shape.transpose_a, shape.transpose_b, shape.m, shape.n, shape.k};
  call.batch_count = shape.batch_count;
  call.stride_a = shape.stride_a;
  call.stride_b = shape.stride_b;
  call.lda = ld_or_least(shape.lda, lines_of_a(call));
  call.ldb = ld_or_least(shape.ldb, lines_of_b(call));
  call.ldc = ld_or_least(shape.ldc, lines_of_c(call));
  return call;
}

// The problem as it would be with buffers that the device allocated.
Problem problem_of(const SgemmShape& shape, const SgemmCall& call, const Device& device) {
  Problem problem = canonical(call);
  const bool exchanged = call.layout == Layout::column_major;
  problem.a.offset = exchanged ? shape.offset_b : shape.offset_a;
  problem.b.offset = exchanged ? shape.offset_a : shape.offset_b;
  problem.a.base_alignment = problem.b.base_alignment = device.base_alignment_bytes / sizeof(float);
  return problem;
}

}  // namespace

void Context::prepare(const std::vector<SgemmShape>& shapes, const Options& options) {
  state_->health().watch([&] {
    for (const SgemmShape& shape : shapes) {
      const SgemmCall call = call_of(shape);
      check_call(call);
      if (reads_a_and_b(call)) state_->plan(problem_of(shape, call, state_->info()), options);
    }
  });
}

std::string Context::explain(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::string {
    const SgemmCall call = call_of(shape);
    check_call(call);
    if (!reads_a_and_b(call)) return "kernel: none, there is nothing to multiply\n";
    const Problem problem = problem_of(shape, call, state_->info());
    const std::string exchanged =
        call.layout == Layout::column_major
            ? "layout: column-major, computed as the row-major C^T = op(B)^T op(A)^T\n"
            : "";
    return "device: " + state_->info().name + "\n" + exchanged + state_->explain(problem, options);
  });
}

double Context::predicted_seconds(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> double {
    const SgemmCall call = call_of(shape);
    check_call(call);
    if (!reads_a_and_b(call)) return 0.0;
    return state_->predicted_seconds(problem_of(shape, call, state_->info()), options);
  });
}

std::size_t Context::sgemm_scratch_bytes(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::size_t {
    const SgemmCall call = call_of(shape);
    check_call(call);
    if (!reads_a_and_b(call)) return 0;
    return state_->plan(problem_of(shape, call, state_->info()), options)->built.plan.scratch_bytes;
  });
}

}  // namespace clgemm
