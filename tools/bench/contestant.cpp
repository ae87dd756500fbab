#include "contestant.hpp"

#include <chrono>

#include "kernel_timer.hpp"

namespace clgemm::bench {
namespace {

class KernelContestant final : public OpenClContestant {
 public:
  KernelContestant(const DeviceData& data, const KernelChoice& choice)
      : OpenClContestant(data), context_(data.queue()()), options_(choice.options) {}

 private:
  void enqueue() override {
    const SgemmCall& call = data().call();
    context_.sgemm(data().queue()(), call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k,
                   call.alpha, data().a(), data().b(), call.beta, data().c(), {}, nullptr, options_);
  }

  Context context_;
  Options options_;
};

}  // namespace

RunTimes OpenClContestant::run() {
  data_.restore_c();
  const KernelTimer timer;
  const auto start = std::chrono::steady_clock::now();
  enqueue();
  data_.queue().finish();
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  const KernelTimer::Span span = timer.span();
  return {span.ms, elapsed.count(), span.launches};
}

std::unique_ptr<Contestant> make_kernel_contestant(const DeviceData& data, const KernelChoice& choice) {
  return std::make_unique<KernelContestant>(data, choice);
}

}  // namespace clgemm::bench
