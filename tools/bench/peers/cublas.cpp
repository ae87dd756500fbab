// cuBLAS on copies of the same data in its own memory, timed by CUDA's events around the call.
//
// The reports have it twice. cublas-fp32 uses the pedantic mode, which computes in fp32 only. cublas-tf32
// lets the tensor cores round the operands to 10 bits of significand. It is many times as fast, and its error
// is some thousand times as large, which is beyond the bound of fp32.
#include <fmt/format.h>

#include <filesystem>

#include "peers/blas_values.hpp"
#include "peers/cuda.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

// From cublas_api.h and driver_types.h.
constexpr int pedantic_math = 2;
constexpr int tf32_math = 3;
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;
constexpr int device_to_device = 3;

struct Mode {
  const char* name;
  int math;
  const char* settings;
  bool fp32;
};
constexpr Mode modes[] = {{"cublas-fp32", pedantic_math, "CUBLAS_PEDANTIC_MATH", true},
                          {"cublas-tf32", tf32_math, "CUBLAS_TF32_TENSOR_OP_MATH", false}};

// A matrix in the GPU's memory. Transfers are complete on return.
class CudaMatrix {
 public:
  CudaMatrix(const Cuda& cuda, const std::vector<float>& matrix)
      : cuda_(cuda), bytes_(matrix.size() * sizeof(float)), memory_(cuda.allocate(bytes_)) {
    write(matrix);
  }

  void write(const std::vector<float>& matrix) { copy(memory_.get(), matrix.data(), host_to_device); }
  void read(std::vector<float>& matrix) const { copy(matrix.data(), memory_.get(), device_to_host); }
  // Is not complete on return.
  void copy_from(const CudaMatrix& other) { copy(memory_.get(), other.memory_.get(), device_to_device); }

  float* data() const { return static_cast<float*>(memory_.get()); }

 private:
  void copy(void* to, const void* from, int kind) const {
    cuda_.check(cuda_.memcpy(to, from, bytes_, kind), "cudaMemcpy");
  }

  const Cuda& cuda_;
  std::size_t bytes_;
  CudaObject memory_;
};

struct CudaMatrices {
  CudaMatrices(const Cuda& cuda, const StoredMatrices& stored)
      : a(cuda, stored.a), b(cuda, stored.b), c(cuda, stored.c) {}

  CudaMatrix a;
  CudaMatrix b;
  CudaMatrix c;
};

// Copies of this size take a large GPU about 0.1 ms.
constexpr std::size_t delaying_elements = std::size_t{1} << 24;
constexpr int delaying_copies = 4;

class CublasContestant final : public Contestant {
 public:
  CublasContestant(const Cuda& cuda, int math, const DeviceData& data)
      : cuda_(cuda),
        handle_(cuda.make_cublas(math)),
        data_(data),
        original_c_(cuda, data.stored().c),
        other_c_(cuda, data.stored().c),
        delay_from_(cuda, std::vector<float>(delaying_elements)),
        delay_to_(cuda, std::vector<float>(delaying_elements)),
        start_(cuda.make_event()),
        end_(cuda.make_event()) {
    for (std::size_t copy = 0; copy < data.copies(); ++copy) copies_.emplace_back(cuda, data.stored());
  }

  RunTimes run() override {
    const double call_ms = time_on_host();  // goes first, because the very first run is the first call
    return {.operation_ms = time_on_device(), .call_ms = call_ms, .launches = 0};
  }

  std::vector<float> result() override {
    std::vector<float> c(data_.stored().c.size());
    copies_[current_].c.read(c);
    return c_as_row_major(data_.call(), c);
  }

  // Uses memory that exists already, as for CLBlast.
  HostRun run_host_to_host() override {
    CudaMatrices& matrices = copies_[current_];
    return host_run(data_, [&](std::vector<float>& c) {
      matrices.a.write(data_.stored().a);
      matrices.b.write(data_.stored().b);
      if (data_.call().beta != 0.0f) matrices.c.write(c);
      multiply(matrices, matrices.c);
      matrices.c.read(c);  // waits
    });
  }

 private:
  double time_on_host() {
    next_copy();
    return ms_of([&] {
      multiply(copies_[current_], copies_[current_].c);
      wait();
    });
  }

  // On an idle device, the time between the events would include the host's time to enqueue the calls, which
  // matters most for a small GEMM. So the device is kept busy until everything is enqueued. The last of this
  // work is the same GEMM with another C. It brings A and B back to the cache, unless copies are rotated to
  // keep them out.
  double time_on_device() {
    next_copy();
    for (int i = 0; i < delaying_copies; ++i) delay_to_.copy_from(delay_from_);
    CudaMatrices& matrices = copies_[current_];
    if (copies_.size() == 1) multiply(matrices, other_c_);
    record(start_);
    multiply(matrices, matrices.c);
    record(end_);
    float ms = 0.0f;
    cuda_.check(cuda_.event_synchronize(end_.get()), "cudaEventSynchronize");
    cuda_.check(cuda_.event_elapsed(&ms, start_.get(), end_.get()), "cudaEventElapsedTime");
    return ms;
  }

  // Restores C there.
  void next_copy() {
    current_ = (current_ + 1) % copies_.size();
    copies_[current_].c.copy_from(original_c_);
    wait();
  }

  void multiply(const CudaMatrices& matrices, const CudaMatrix& c) const {
    const SgemmCall& call = data_.call();
    const CublasCall in(call, matrices.a.data(), matrices.b.data());
    const CublasCall::Factor& first = in.first;
    const CublasCall::Factor& second = in.second;
    const int m = blas_size(in.m);
    const int n = blas_size(in.n);
    const int k = blas_size(call.k);
    if (call.batch_count == 1) {
      const int status = cuda_.sgemm(handle_.get(), first.transpose, second.transpose, m, n, k, &call.alpha,
                                     first.matrix, blas_size(first.ld), second.matrix, blas_size(second.ld),
                                     &call.beta, c.data(), blas_size(call.ldc));
      return cuda_.check_cublas(status, "cublasSgemm");
    }
    const int status = cuda_.sgemm_strided_batched(
        handle_.get(), first.transpose, second.transpose, m, n, k, &call.alpha, first.matrix,
        blas_size(first.ld), static_cast<long long>(first.stride), second.matrix, blas_size(second.ld),
        static_cast<long long>(second.stride), &call.beta, c.data(), blas_size(call.ldc),
        static_cast<long long>(call.stride_c), blas_size(call.batch_count));
    cuda_.check_cublas(status, "cublasSgemmStridedBatched");
  }

  void record(const CudaObject& event) const {
    cuda_.check(cuda_.event_record(event.get(), nullptr), "cudaEventRecord");
  }
  void wait() const { cuda_.check(cuda_.synchronize(), "cudaDeviceSynchronize"); }

  const Cuda& cuda_;
  CudaObject handle_;
  const DeviceData& data_;
  CudaMatrix original_c_;
  std::vector<CudaMatrices> copies_;
  std::size_t current_ = 0;
  CudaMatrix other_c_;
  CudaMatrix delay_from_;
  CudaMatrix delay_to_;
  CudaObject start_;
  CudaObject end_;
};

}  // namespace

std::vector<Peer> make_cublas(const PeerRequest& request, const cl::Device& device) {
  const auto cuda = std::make_shared<const Cuda>(request.value);
  const Gpu gpu = find_gpu(*cuda, device);
  cuda->check(cuda->set_device(gpu.number), "cudaSetDevice");
  std::vector<Peer> peers;
  for (const Mode& mode : modes) {
    cuda->make_cublas(mode.math);  // throws if it does not know this mode
    const std::string settings = fmt::format("{}, default workspace, {}, {}", mode.settings, gpu.where,
                                             std::filesystem::path(cuda->cublas.name()).filename().string());
    Peer& peer = peers.emplace_back(Peer{{mode.name, cuda->cublas_version(), settings, {}},
                                         [cuda, math = mode.math](const DeviceData& data) {
                                           return std::make_unique<CublasContestant>(*cuda, math, data);
                                         }});
    peer.unmeasured.figures.computes_in_fp32 = mode.fp32;
  }
  return peers;
}

}  // namespace clgemm::bench
