#include "measuring/contestant.hpp"

#include <algorithm>
#include <optional>

#include "call/arguments.hpp"
#include "context/context.hpp"
#include "measuring/kernel_timer.hpp"

namespace clgemm::bench {
namespace {

class KernelContestant final : public OpenClContestant {
 public:
  KernelContestant(const DeviceData& data, const Options& options, const std::vector<cl::Device>& devices)
      : OpenClContestant(data), context_(data.queue()()), options_(options) {
    std::vector<cl_device_id> handles;
    for (const cl::Device& device : devices) handles.push_back(device());
    if (handles.size() > 1) devices_.emplace(handles);
  }

 private:
  void enqueue() override {
    const SgemmCall& call = data().call();
    if (call.batch_count == 1) {
      context_.sgemm(data().queue()(), call.layout, call.transpose_a, call.transpose_b, call.m, call.n,
                     call.k, call.alpha, data().a(), data().b(), call.beta, data().c(), {}, nullptr,
                     options_);
    } else {
      context_.sgemm_strided_batched(data().queue()(), call.layout, call.transpose_a, call.transpose_b,
                                     call.m, call.n, call.k, call.alpha, data().a(), call.stride_a,
                                     data().b(), call.stride_b, call.beta, data().c(), call.stride_c,
                                     call.batch_count, {}, nullptr, options_);
    }
  }

  std::shared_ptr<const ChosenPlan> plan() override {
    Context::State& inside = state_of(context_);
    const DeviceGemm gemm =
        check_device_gemm(data().call(), data().a(), data().b(), data().c(), inside.surroundings(options_));
    return inside.plan(gemm.problem, options_);
  }

  HostRun run_host_to_host() override {
    const SgemmCall& call = data().call();
    const StoredMatrices& stored = data().stored();
    const auto run_on = [&](auto& multiplier) {
      return host_run(data(), [&](std::vector<float>& c) {
        multiplier.sgemm(call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k, call.alpha,
                         stored.a.data(), call.lda, stored.b.data(), call.ldb, call.beta, c.data(), call.ldc,
                         options_);
      });
    };
    return devices_ ? run_on(*devices_) : run_on(context_);
  }

  Context context_;
  std::optional<DeviceSet> devices_;
  Options options_;
};

// Returns true if the text of a kernel is that of a built-in one.
bool is_built_in(const KernelFile& file) {
  static KernelLibrary built_in;
  const auto is_same = [&](Role role) {
    const std::vector<std::string> names = built_in.names(role);
    return std::find(names.begin(), names.end(), file.manifest.name) != names.end() &&
           built_in.find(file.manifest.name).file->source == file.source;
  };
  return is_same(Role::gemm) || is_same(Role::fallback);
}

}  // namespace

Arithmetic arithmetic_of(const KernelConfig& kernel) {
  const Arithmetic arithmetic = arithmetic_of(kernel.file->manifest.name);
  return arithmetic == Arithmetic::fp32 && !is_built_in(*kernel.file) ? Arithmetic::of_other_kernels
                                                                      : arithmetic;
}

double Contestant::bound_of_random(std::size_t k) {
  const std::shared_ptr<const ChosenPlan> chosen = plan();
  if (chosen == nullptr) return error_bound(Arithmetic::fp32, k, Numbers::random);
  double bound = 0.0;
  for (const Stage& stage : chosen->built.plan.stages)
    bound = std::max(bound, error_bound(arithmetic_of(stage.gemm()), k, Numbers::random));
  return bound;
}

Clock trusted_clock(double operation_ms, double call_ms) {
  // No launch is so slow that the host's part of a call takes a thousand times as long as the device's.
  return operation_ms * 1000.0 < call_ms ? Clock::host : Clock::device;
}

RunTimes OpenClContestant::run() {
  data_.next_copy();
  data_.restore_c();
  const RunTimes times = run_once();
  // Kernels that take this long are not waiting for the host.
  if (!data_.busy_device().is_on() || times.operation_ms > BusyDevice::busy_ms * 4.0) return times;
  data_.next_copy();
  data_.restore_c();
  data_.busy_device().enqueue();
  const RunTimes behind_others = run_once();
  return {behind_others.operation_ms, times.call_ms, times.launches};
}

RunTimes OpenClContestant::run_once() {
  const KernelTimer timer(data_.queue());
  const auto start = std::chrono::steady_clock::now();
  enqueue();
  data_.queue().finish();
  double call_ms = ms_since(start);
  const KernelTimer::Span span = timer.span();
  if (trusted_clock(span.ms, call_ms) == Clock::host) {
    data_.wait_for_c();
    call_ms = ms_since(start);
  }
  return {span.ms, call_ms, span.launches};
}

std::unique_ptr<Contestant> make_kernel_contestant(const DeviceData& data, const Options& options,
                                                   const std::vector<cl::Device>& devices) {
  return std::make_unique<KernelContestant>(data, options, devices);
}

}  // namespace clgemm::bench
