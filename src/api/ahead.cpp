// What can be asked before a call: prepare(), explain(), sgemm_scratch_bytes().
#include <clgemm/clgemm.hpp>

#include "base/error.hpp"
#include "call/host_problem.hpp"
#include "call/problem.hpp"
#include "context/context.hpp"

namespace clgemm {
namespace {

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

std::string Context::explain_host(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::string {
    const SgemmCall call = call_of(shape);
    check_call(call);
    check_no_batch(shape);
    if (!reads_a_and_b(call)) return "kernel: none, there is nothing to multiply\n";
    return "device: " + state_->info().name + "\n" + state_->explain_on_host(canonical(call), options);
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
