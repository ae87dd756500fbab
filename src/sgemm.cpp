// The way of a call: check, place, plan, build, enqueue. The place to start reading.
#include <clgemm/clgemm.hpp>

#include "arguments.hpp"
#include "context.hpp"
#include "error.hpp"
#include "host_call.hpp"

namespace clgemm {
namespace {

std::vector<cl::Event> events_of(const WaitList& wait_for) {
  std::vector<cl::Event> result;
  for (const cl_event event : wait_for) {
    if (event == nullptr) throw Error(ErrorCode::invalid_argument, "an event of the wait list is null");
    result.emplace_back(event, true);
  }
  return result;
}

// An event for a call that has nothing to do but to wait for others.
cl::Event marker(const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_for) {
  cl::Event done;
  queue.enqueueMarkerWithWaitList(&wait_for, &done);
  return done;
}

}  // namespace

void Context::sgemm(cl_command_queue caller_queue, Layout layout, Transpose transpose_a,
                    Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                    DeviceMatrix a, DeviceMatrix b, float beta, DeviceMatrix c, const WaitList& wait_for,
                    cl_event* done, const Options& options) {
  at_boundary([&] {
    const SgemmCall call{layout, transpose_a, transpose_b, m, n, k, alpha, beta, a.ld, b.ld, c.ld};
    const Extents extents = check_call(call);
    const cl::CommandQueue queue(caller_queue, true);
    check_queue(queue, state_->context(), state_->device());
    const std::vector<cl::Event> events = events_of(wait_for);
    Problem problem = canonical(call);
    const Buffers buffers =
        place_operands(call, extents, a, b, c, state_->context(), state_->info(), problem);

    cl::Event finished;
    if (reads_a_and_b(call)) {
      const BuiltPlan plan = state_->plan(problem, options);
      finished = enqueue_multiply(plan, problem, buffers, queue, events, state_->scratch());
    } else if (extents.c != 0 && beta != 1.0f) {
      finished = state_->scale(problem, buffers.c, queue, events);
    } else {
      finished = marker(queue, events);
    }
    queue.flush();
    if (done != nullptr) {
      *done = finished();
      clRetainEvent(*done);
    }
  });
}

void Context::sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
                    std::size_t k, float alpha, const float* a, std::size_t lda, const float* b,
                    std::size_t ldb, float beta, float* c, std::size_t ldc, const Options& options) {
  at_boundary([&] {
    const SgemmCall call{layout, transpose_a, transpose_b, m, n, k, alpha, beta, lda, ldb, ldc};
    const Extents extents = check_call(call);
    check_host_pointers(call, extents, a, b, c);
    if (extents.c == 0 || (!reads_a_and_b(call) && beta == 1.0f)) return;

    HostMatrices matrices(state_->context(), state_->queue(), state_->info(), call, extents, a, b, c);
    sgemm(state_->queue()(), layout, transpose_a, transpose_b, m, n, k, alpha, matrices.a(), matrices.b(),
          beta, matrices.c(), {}, nullptr, options);
    matrices.finish();
  });
}

}  // namespace clgemm
