// The public calls. They check the arguments and pass them on. Start reading here; context.cpp continues with
// the plan and the launches.
#include <clgemm/clgemm.hpp>

#include "base/error.hpp"
#include "base/handles.hpp"
#include "call/arguments.hpp"
#include "call/host_batch.hpp"
#include "context/context.hpp"

namespace clgemm {
namespace {

Events events_of(const WaitList& wait_for, const cl::Context& context) {
  Events result;
  for (const cl_event event : wait_for) {
    if (event == nullptr)
      throw Error(ErrorCode::invalid_argument, "an event of the wait list is null", Argument::wait_for);
    result.emplace_back(event, true);
    if (context_of(result.back()) != context()) {
      throw Error(ErrorCode::wrong_context, "an event of the wait list belongs to another OpenCL context",
                  Argument::wait_for);
    }
  }
  return result;
}

// The caller's queue during a call; the caller keeps it alive. It is not retained, because NVIDIA's driver
// flushes a queue that is released, which takes 2.6 us.
class CallersQueue {
 public:
  explicit CallersQueue(cl_command_queue queue) : queue_(queue, false) {}
  ~CallersQueue() { queue_() = nullptr; }
  CallersQueue(const CallersQueue&) = delete;
  CallersQueue& operator=(const CallersQueue&) = delete;

  const cl::CommandQueue& operator*() const { return queue_; }

 private:
  cl::CommandQueue queue_;
};

// Gives the caller an event of its own, if it asked for one.
void hand_out(const Events& finished, cl_event* done) {
  if (done == nullptr) return;
  const cl_event event = finished.front()();
  if (const cl_int status = clRetainEvent(event); status != CL_SUCCESS)
    throw cl::Error(status, "clRetainEvent");
  *done = event;
}

}  // namespace

void Context::sgemm_strided_batched(cl_command_queue caller_queue, Layout layout, Transpose transpose_a,
                                    Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k,
                                    float alpha, DeviceMatrix a, std::size_t stride_a, DeviceMatrix b,
                                    std::size_t stride_b, float beta, DeviceMatrix c, std::size_t stride_c,
                                    std::size_t batch_count, const WaitList& wait_for, cl_event* done,
                                    const Options& options) {
  state_->health().watch([&] {
    const CallersQueue callers(caller_queue);
    const cl::CommandQueue& queue = *callers;
    check_queue(queue, state_->context(), state_->device());
    const SgemmCall call{{m, n, k}, layout, transpose_a, transpose_b, alpha,    beta,    a.ld,
                         b.ld,      c.ld,   batch_count, stride_a,    stride_b, stride_c};
    const DeviceGemm gemm = check_device_gemm(call, a, b, c, state_->surroundings(options));
    const Events before = events_of(wait_for, state_->context());
    const Sequence sequence = sequence_on(queue, before, done != nullptr);
    const Events finished = state_->enqueue(gemm, sequence, before, options).done;
    if (needs_flush(state_->info(), sequence)) queue.flush();
    hand_out(finished, done);
  });
}

void Context::sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                    std::size_t m, std::size_t n, std::size_t k, float alpha, DeviceMatrix a, DeviceMatrix b,
                    float beta, DeviceMatrix c, const WaitList& wait_for, cl_event* done,
                    const Options& options) {
  sgemm_strided_batched(queue, layout, transpose_a, transpose_b, m, n, k, alpha, a, 0, b, 0, beta, c, 0, 1,
                        wait_for, done, options);
}

void Context::sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
                    std::size_t k, float alpha, const float* a, std::size_t lda, const float* b,
                    std::size_t ldb, float beta, float* c, std::size_t ldc, const Options& options) {
  state_->health().watch([&] {
    const SgemmCall call{{m, n, k}, layout, transpose_a, transpose_b, alpha, beta, lda, ldb, ldc};
    const HostGemm host = check_host_gemm(call, a, b, c);
    switch (to_do(host.problem)) {
      case ToDo::gemm:
        check_scratch(state_->surroundings(options), {});
        return state_->host().multiply(host, options);
      case ToDo::scale_c:
        return scale_on_host(host);
      case ToDo::nothing:
        return;
    }
  });
}

void Context::sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b,
                                    std::size_t m, std::size_t n, std::size_t k, float alpha, const float* a,
                                    std::size_t lda, std::size_t stride_a, const float* b, std::size_t ldb,
                                    std::size_t stride_b, float beta, float* c, std::size_t ldc,
                                    std::size_t stride_c, std::size_t batch_count, const Options& options) {
  state_->health().watch([&] {
    const SgemmCall call{{m, n, k}, layout, transpose_a, transpose_b, alpha,    beta,    lda,
                         ldb,       ldc,    batch_count, stride_a,    stride_b, stride_c};
    state_->multiply(check_host_batch(call, a, b, c), options);
  });
}

void Context::sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                            std::size_t n, std::size_t k, const std::vector<float>& alphas,
                            const std::vector<const float*>& a, std::size_t lda,
                            const std::vector<const float*>& b, std::size_t ldb,
                            const std::vector<float>& betas, const std::vector<float*>& c, std::size_t ldc,
                            const Options& options) {
  state_->health().watch([&] {
    const SgemmCall one{{m, n, k}, layout, transpose_a, transpose_b, 1.0f, 0.0f, lda, ldb, ldc};
    for (const HostBatch& batch : check_host_lists(one, {alphas, a, b, betas, c}))
      state_->multiply(batch, options);
  });
}

void Context::sgemm_batched(cl_command_queue caller_queue, Layout layout, Transpose transpose_a,
                            Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k,
                            const std::vector<float>& alphas, const std::vector<DeviceMatrix>& a,
                            const std::vector<DeviceMatrix>& b, const std::vector<float>& betas,
                            const std::vector<DeviceMatrix>& c, const WaitList& wait_for, cl_event* done,
                            const Options& options) {
  state_->health().watch([&] {
    const CallersQueue callers(caller_queue);
    const cl::CommandQueue& queue = *callers;
    check_queue(queue, state_->context(), state_->device());
    const std::vector<DeviceGemm> gemms =
        state_->check_batch({{m, n, k}, layout, transpose_a, transpose_b}, {alphas, a, b, betas, c}, options);
    const Events before = events_of(wait_for, state_->context());
    const Sequence sequence = sequence_on(queue, before, done != nullptr);
    Events finished;
    for (const DeviceGemm& gemm : gemms) {
      // Runs that share the caller's scratch are computed one after the other.
      const bool is_next = options.scratch != nullptr && !finished.empty();
      const Events last =
          state_->enqueue(gemm, sequence, is_next ? Events{finished.back()} : before, options).done;
      finished.insert(finished.end(), last.begin(), last.end());
    }
    if (finished.size() != 1 && (sequence.by_events || sequence.is_observed)) {
      cl::Event all_finished;
      queue.enqueueMarkerWithWaitList(finished.empty() ? &before : &finished, &all_finished);
      finished = Events{all_finished};
    }
    if (needs_flush(state_->info(), sequence)) queue.flush();
    hand_out(finished, done);
  });
}

}  // namespace clgemm
