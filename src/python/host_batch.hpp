// Batches of host matrices: in one launch where that takes less time than a call for each.
#pragma once

#include <memory>
#include <mutex>

#include "blas/batch_memory.hpp"
#include "python/host_call.hpp"

namespace clgemm::python {

// Where the first matrices of a batch of the host lie.
struct HostPlaces {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

// A Context, and what batches need beside it. Any number of threads may use it.
class OwnContext {
 public:
  explicit OwnContext(Context&& context);

  Context& context() { return context_; }

  // Returns when every C is complete. When it throws Error, the device no longer uses the matrices, unless
  // the Error says that it may.
  void multiply(const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                const Options& options);

 private:
  bool multiply_where_they_lie(const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                               const Options& options);
  bool multiply_gathered(const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                         const Options& options);

  Context context_;
  bool shares_host_memory_ = false;
  std::size_t max_elements_ = 0;  // of one allocation
  std::mutex mutex_;              // of the next one
  std::unique_ptr<blas::BatchMemory> gathered_;
};

// A call for each multiply of the batch. `Owner` is a Context or a DeviceSet.
template <class Owner>
void multiply_each(Owner& owner, const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                   const Options& options) {
  for (std::size_t i = 0; i < call.batch_count; ++i) {
    owner.sgemm(call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k, alpha,
                first.a + i * call.stride_a, call.lda, first.b + i * call.stride_b, call.ldb, beta,
                first.c + i * call.stride_c, call.ldc, options);
  }
}

}  // namespace clgemm::python
