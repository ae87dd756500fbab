// The free functions: sgemm() without a Context of the caller.
#include <algorithm>
#include <clgemm/clgemm.hpp>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "base/device.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/forked.hpp"
#include "base/handles.hpp"
#include "context/context.hpp"
#include "devices/members.hpp"

namespace clgemm {

// The number of Contexts that are kept for pairs of OpenCL context and device of queues. It is a guess: most
// programs have fewer, and each kept Context keeps its OpenCL context alive.
constexpr std::size_t kept_queue_contexts = 8;

namespace {

std::shared_ptr<DeviceSet> devices_of_environment(const std::string& list) {
  try {
    return std::make_shared<DeviceSet>(list);
  } catch (const Error& error) {
    throw Error(error.code(), "CLGEMM_DEVICES: " + std::string(error.what()));
  }
}

}  // namespace

// The Contexts that calls share. Each call holds the Context that it uses, so it may be dropped here at any
// time.
class Registry {
 public:
  // Computes on host matrices: a Context, or the devices that CLGEMM_DEVICES lists.
  struct ForHost {
    std::shared_ptr<Context> context;
    std::shared_ptr<DeviceSet> devices;
  };
  ForHost for_host() {
    claim_process();
    const std::lock_guard lock(mutex_);
    if (!host_.context && !host_.devices) {
      if (const std::string list = environment("CLGEMM_DEVICES"); !list.empty()) {
        host_.devices = devices_of_environment(list);
      } else {
        host_.context = std::make_shared<Context>();
      }
    }
    return host_;
  }

  std::shared_ptr<Context> for_queue(cl_command_queue queue) {
    claim_process();
    if (queue == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null", Argument::queue);
    const cl::CommandQueue wanted(queue, true);
    const cl_context context = context_of(wanted);
    const cl_device_id device = device_of(wanted);

    std::list<std::shared_ptr<Context>> dropped;  // destroyed after the lock, because that may wait
    const std::lock_guard lock(mutex_);
    for (auto entry = queues_.begin(); entry != queues_.end(); ++entry) {
      if ((*entry)->context() != context || (*entry)->device() != device) continue;
      queues_.splice(queues_.begin(), queues_, entry);
      return queues_.front();
    }
    queues_.push_front(std::make_shared<Context>(queue));
    if (queues_.size() > kept_queue_contexts)
      dropped.splice(dropped.begin(), queues_, std::prev(queues_.end()));
    return queues_.front();
  }

  void clear() {
    if (is_forked_child()) return;
    ForHost host;  // destroyed after the lock, because that may wait
    std::list<std::shared_ptr<Context>> queues;
    const std::lock_guard lock(mutex_);
    std::swap(host, host_);
    queues.swap(queues_);
  }

  void finish_keeping() {
    if (is_forked_child()) return;
    const std::lock_guard lock(mutex_);
    if (host_.context) state_of(*host_.context).finish_keeping();
    if (host_.devices) state_of(*host_.devices).finish_keeping();
    for (const auto& context : queues_) state_of(*context).finish_keeping();
  }

 private:
  std::mutex mutex_;
  ForHost host_;
  std::list<std::shared_ptr<Context>> queues_;  // the last used first
};

namespace {

// Never destroyed, because at the end of the process the OpenCL driver may be gone before this object.
// Programs that are being written to the disk cache are waited for.
Registry& registry() {
  static Registry* const instance = [] {
    all_devices();  // loads the drivers, so that their work at the end of the process comes after ours
    std::atexit([] { registry().finish_keeping(); });
    return new Registry;
  }();
  return *instance;
}

// Calls `call` with the Context or DeviceSet for host matrices.
template <class Call>
auto with_host(const Call& call) {
  const auto [context, devices] = at_boundary([] { return registry().for_host(); });
  return devices ? call(*devices) : call(*context);
}

}  // namespace

void sgemm(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
           std::size_t k, float alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
           float beta, float* c, std::size_t ldc, const Options& options) {
  with_host([&](auto& on) {
    on.sgemm(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
  });
}

void sgemm_strided_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
                           std::size_t n, std::size_t k, float alpha, const float* a, std::size_t lda,
                           std::size_t stride_a, const float* b, std::size_t ldb, std::size_t stride_b,
                           float beta, float* c, std::size_t ldc, std::size_t stride_c,
                           std::size_t batch_count, const Options& options) {
  with_host([&](auto& on) {
    on.sgemm_strided_batched(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                             stride_b, beta, c, ldc, stride_c, batch_count, options);
  });
}

void sgemm_batched(Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
                   std::size_t k, const std::vector<float>& alphas, const std::vector<const float*>& a,
                   std::size_t lda, const std::vector<const float*>& b, std::size_t ldb,
                   const std::vector<float>& betas, const std::vector<float*>& c, std::size_t ldc,
                   const Options& options) {
  with_host([&](auto& on) {
    on.sgemm_batched(layout, transpose_a, transpose_b, m, n, k, alphas, a, lda, b, ldb, betas, c, ldc,
                     options);
  });
}

std::string explain_host(const SgemmShape& shape, const Options& options) {
  return with_host([&](auto& on) { return on.explain_host(shape, options); });
}

double predicted_seconds(const SgemmShape& shape, const Options& options) {
  const auto [context, devices] = at_boundary([] { return registry().for_host(); });
  if (context) return context->predicted_seconds(shape, options);
  double least = std::numeric_limits<double>::infinity();
  for (Member* member : state_of(*devices).members())
    least = std::min(least, member->context.predicted_seconds(shape, options));
  return least;
}

std::shared_ptr<Context> context_for(cl_command_queue queue) {
  return at_boundary([&] { return registry().for_queue(queue); });
}

void sgemm(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b, std::size_t m,
           std::size_t n, std::size_t k, float alpha, DeviceMatrix a, DeviceMatrix b, float beta,
           DeviceMatrix c, const WaitList& wait_for, cl_event* done, const Options& options) {
  context_for(queue)->sgemm(queue, layout, transpose_a, transpose_b, m, n, k, alpha, a, b, beta, c, wait_for,
                            done, options);
}

void sgemm_strided_batched(cl_command_queue queue, Layout layout, Transpose transpose_a,
                           Transpose transpose_b, std::size_t m, std::size_t n, std::size_t k, float alpha,
                           DeviceMatrix a, std::size_t stride_a, DeviceMatrix b, std::size_t stride_b,
                           float beta, DeviceMatrix c, std::size_t stride_c, std::size_t batch_count,
                           const WaitList& wait_for, cl_event* done, const Options& options) {
  context_for(queue)->sgemm_strided_batched(queue, layout, transpose_a, transpose_b, m, n, k, alpha, a,
                                            stride_a, b, stride_b, beta, c, stride_c, batch_count, wait_for,
                                            done, options);
}

void sgemm_batched(cl_command_queue queue, Layout layout, Transpose transpose_a, Transpose transpose_b,
                   std::size_t m, std::size_t n, std::size_t k, const std::vector<float>& alphas,
                   const std::vector<DeviceMatrix>& a, const std::vector<DeviceMatrix>& b,
                   const std::vector<float>& betas, const std::vector<DeviceMatrix>& c,
                   const WaitList& wait_for, cl_event* done, const Options& options) {
  context_for(queue)->sgemm_batched(queue, layout, transpose_a, transpose_b, m, n, k, alphas, a, b, betas, c,
                                    wait_for, done, options);
}

void prepare(cl_command_queue queue, const std::vector<SgemmShape>& shapes, const Options& options) {
  context_for(queue)->prepare(shapes, options);
}

std::string explain(cl_command_queue queue, const SgemmShape& shape, const Options& options) {
  return context_for(queue)->explain(shape, options);
}

double predicted_seconds(cl_command_queue queue, const SgemmShape& shape, const Options& options) {
  return queue == nullptr ? predicted_seconds(shape, options)
                          : context_for(queue)->predicted_seconds(shape, options);
}

std::size_t sgemm_scratch_bytes(cl_command_queue queue, const SgemmShape& shape, const Options& options) {
  return context_for(queue)->sgemm_scratch_bytes(shape, options);
}

void release_contexts() {
  at_boundary([] { registry().clear(); });
}

}  // namespace clgemm
