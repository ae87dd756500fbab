#include "python/host_batch.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/finished.hpp"
#include "blas/shared_launch.hpp"

namespace clgemm::python {
namespace {

// From the first element of `count` matrices to behind the last.
std::size_t extent(std::size_t count, std::size_t stride, std::size_t rows, std::size_t columns, Layout order,
                   std::size_t ld) {
  const std::size_t lines = order == Layout::row_major ? rows : columns;
  const std::size_t length = order == Layout::row_major ? columns : rows;
  return (count - 1) * stride + (lines - 1) * ld + length;
}

struct Extents {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;

  std::size_t largest() const { return std::max({a, b, c}); }
};

Extents extents_of(const Arrangement& call, std::size_t count) {
  // As they lie, transposed in terms of the call's layout or not.
  const auto of = [&](Transpose transpose, std::size_t rows, std::size_t columns, std::size_t stride,
                      std::size_t ld) {
    if (transpose == Transpose::yes) std::swap(rows, columns);
    return extent(count, stride, rows, columns, call.layout, ld);
  };
  return {of(call.transpose_a, call.m, call.k, call.stride_a, call.lda),
          of(call.transpose_b, call.k, call.n, call.stride_b, call.ldb),
          of(Transpose::no, call.m, call.n, call.stride_c, call.ldc)};
}

// How many matrices one launch may have; 0: not even one fits.
std::size_t most_in_one_launch(const Arrangement& call, std::size_t max_elements) {
  std::size_t count = call.batch_count;
  while (count > 0 && extents_of(call, count).largest() > max_elements) count /= 2;
  return count;
}

bool is_empty(const Arrangement& call) {
  return call.batch_count == 0 || call.m == 0 || call.n == 0 || call.k == 0;
}

// As gathering sees them: column-major. A row-major call becomes one by exchanging A and B.
blas::Batch as_column_major(const Arrangement& call, const HostPlaces& first, float alpha, float beta) {
  const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  blas::Batch batch;
  batch.shape.transpose_a = call.transpose_a == Transpose::yes;
  batch.shape.transpose_b = call.transpose_b == Transpose::yes;
  batch.shape.m = size(call.m);
  batch.shape.n = size(call.n);
  batch.shape.k = size(call.k);
  batch.shape.lda = size(call.lda);
  batch.shape.ldb = size(call.ldb);
  batch.shape.ldc = size(call.ldc);
  batch.shape.alpha = alpha;
  batch.shape.beta = beta;
  for (std::size_t i = 0; i < call.batch_count; ++i) {
    batch.a.push_back(first.a + i * call.stride_a);
    batch.b.push_back(first.b + i * call.stride_b);
    batch.c.push_back(first.c + i * call.stride_c);
  }
  if (call.layout == Layout::column_major) return batch;
  std::swap(batch.a, batch.b);
  std::swap(batch.shape.transpose_a, batch.shape.transpose_b);
  std::swap(batch.shape.m, batch.shape.n);
  std::swap(batch.shape.lda, batch.shape.ldb);
  return batch;
}

}  // namespace

OwnContext::OwnContext(Context&& context) : context_(std::move(context)) {
  at_boundary([this] {
    const cl::Device device(context_.device(), true);
    shares_host_memory_ = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE;
    max_elements_ = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() / sizeof(float);
  });
}

void OwnContext::multiply(const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                          const Options& options) {
  const bool in_one = call.batch_count > 1 && !is_empty(call);
  if (in_one && shares_host_memory_ && multiply_where_they_lie(call, first, alpha, beta, options)) return;
  if (in_one && !shares_host_memory_ && multiply_gathered(call, first, alpha, beta, options)) return;
  multiply_each(context_, call, first, alpha, beta, options);
}

// On PoCL, two busy cores of an AMD EPYC, side by side with a call for each: 1000 of 32 x 32 in 0.5 ms and
// 32, 1000 of 64 in 3.6 and 65, 100 of 256 in 18 and 39, 20 of 512 in 35 and 36.
bool OwnContext::multiply_where_they_lie(const Arrangement& call, const HostPlaces& first, float alpha,
                                         float beta, const Options& options) {
  const std::size_t most = most_in_one_launch(call, max_elements_);
  if (most == 0) return false;
  at_boundary([&] {
    const cl::Context context(context_.context(), true);
    const cl::CommandQueue queue(context_.queue(), true);
    const auto share = [&](cl_mem_flags access, const float* matrices, std::size_t elements) {
      return cl::Buffer(context, access | CL_MEM_USE_HOST_PTR, elements * sizeof(float),
                        const_cast<float*>(matrices));
    };
    use_matrices(queue, [&] {
      for (std::size_t done = 0; done < call.batch_count;) {
        const std::size_t count = std::min(most, call.batch_count - done);
        const Extents extents = extents_of(call, count);
        const cl::Buffer a = share(CL_MEM_READ_ONLY, first.a + done * call.stride_a, extents.a);
        const cl::Buffer b = share(CL_MEM_READ_ONLY, first.b + done * call.stride_b, extents.b);
        const cl::Buffer c = share(CL_MEM_READ_WRITE, first.c + done * call.stride_c, extents.c);
        cl_event multiplied = nullptr;
        context_.sgemm_strided_batched(queue(), call.layout, call.transpose_a, call.transpose_b, call.m,
                                       call.n, call.k, alpha, {a(), call.lda}, call.stride_a, {b(), call.ldb},
                                       call.stride_b, beta, {c(), call.ldc}, call.stride_c, count, {},
                                       &multiplied, options);
        const cl::Event complete(multiplied);
        cl::Event unmapped;
        // Mapping makes the results visible to the host.
        void* mapped = queue.enqueueMapBuffer(c, CL_TRUE, CL_MAP_READ, 0, extents.c * sizeof(float));
        queue.enqueueUnmapMemObject(c, mapped, nullptr, &unmapped);
        unmapped.wait();
        check_finished({complete, unmapped});
        done += count;
      }
    });
  });
  return true;
}

bool OwnContext::multiply_gathered(const Arrangement& call, const HostPlaces& first, float alpha, float beta,
                                   const Options& options) {
  // What is gathered has no limit of the caller's.
  if (options.device_memory_limit != 0 || !environment("CLGEMM_DEVICE_MEMORY_MIB").empty()) return false;
  const blas::Batch batch = as_column_major(call, first, alpha, beta);
  if (!blas::can_share_launch(batch.shape)) return false;
  const std::lock_guard lock(mutex_);
  at_boundary([&] {
    if (!gathered_) gathered_ = std::make_unique<blas::BatchMemory>(context_);
    std::size_t done = 0;
    gathered_->multiply(context_, batch, done, options);
  });
  return true;
}

}  // namespace clgemm::python
