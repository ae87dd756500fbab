// Answers questions before a call: prepare(), explain(), sgemm_scratch_bytes().
#include <clgemm/clgemm.hpp>

#include "base/error.hpp"
#include "call/arguments.hpp"
#include "context/context.hpp"

namespace clgemm {
namespace {

constexpr const char* nothing_to_compute = "kernel: none, because there is nothing to compute\n";

}  // namespace

void Context::prepare(const std::vector<SgemmShape>& shapes, const Options& options) {
  state_->health().watch([&] {
    for (const SgemmShape& shape : shapes) {
      const Problem problem = check_shape(shape, state_->info());
      if (to_do(problem) == ToDo::gemm) state_->plan(problem, options);
    }
  });
}

std::string Context::explain(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::string {
    const Problem problem = check_shape(shape, state_->info());
    if (to_do(problem) != ToDo::gemm) return nothing_to_compute;
    const std::string exchanged =
        shape.layout == Layout::column_major
            ? "layout: column-major, computed as the row-major C^T = op(B)^T op(A)^T\n"
            : "";
    return "device: " + state_->info().name + "\n" + exchanged + state_->explain(problem, options);
  });
}

std::string Context::explain_host(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::string {
    const Problem problem = check_host_shape(shape);
    if (to_do(problem) != ToDo::gemm) return nothing_to_compute;
    const std::string how = problem.batch_count > 1 ? state_->host_batches().explain(problem, options)
                                                    : state_->host().explain(problem, options);
    return "device: " + state_->info().name + "\n" + how;
  });
}

double Context::predicted_seconds_host(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> double {
    const Problem problem = check_host_shape(shape);
    return to_do(problem) == ToDo::gemm ? state_->host_batches().predicted_seconds(problem, options) : 0.0;
  });
}

double Context::predicted_seconds(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> double {
    const Problem problem = check_shape(shape, state_->info());
    return to_do(problem) == ToDo::gemm ? state_->predicted_seconds(problem, options) : 0.0;
  });
}

std::size_t Context::sgemm_scratch_bytes(const SgemmShape& shape, const Options& options) {
  return state_->health().watch([&]() -> std::size_t {
    const Problem problem = check_shape(shape, state_->info());
    if (to_do(problem) != ToDo::gemm) return 0;
    return state_->plan(problem, options)->built.plan.scratch_bytes;
  });
}

}  // namespace clgemm
