// cuBLAS on copies of the same data in its own memory, timed by CUDA's events around the call.
//
// The reports have it twice. cublas-fp32 uses the pedantic mode, which computes in fp32 only. cublas-tf32
// lets the tensor cores round the operands to 10 bits of significand. It is many times as fast, and its error
// is some thousand times as large, which is beyond the bound of fp32.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "peers/cuda_gpu.hpp"
#include "peers/cuda_objects.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

// From cublas_api.h.
constexpr int pedantic_math = 2;
constexpr int tf32_math = 3;

struct Mode {
  const char* name;
  const char* title;
  int math;
  const char* settings;
  bool fp32;
};
constexpr Mode modes[] = {{"cublas-fp32", "cuBLAS fp32", pedantic_math, "CUBLAS_PEDANTIC_MATH", true},
                          {"cublas-tf32", "cuBLAS TF32", tf32_math, "CUBLAS_TF32_TENSOR_OP_MATH", false}};

// A, B and C in the GPU's memory.
struct CudaMatrices {
  CudaMatrices(const CudaLibraries& cuda, const StoredMatrices& stored)
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
  CublasContestant(const CudaLibraries& cuda, int math, const DeviceData& data)
      : cuda_(cuda),
        handle_(cuda, math),
        data_(data),
        original_c_(cuda, data.stored().c),
        other_c_(cuda, data.stored().c),
        delay_from_(cuda, std::vector<float>(delaying_elements)),
        delay_to_(cuda, std::vector<float>(delaying_elements)),
        start_(cuda),
        end_(cuda) {
    for (std::size_t copy = 0; copy < data.copies(); ++copy) {
      copies_.push_back(std::make_unique<CudaMatrices>(cuda, data.stored()));
    }
  }

  RunTimes run() override {
    const double call_ms = time_on_host();  // goes first, because the very first run is the first call
    return {.operation_ms = time_on_device(), .call_ms = call_ms, .launches = 0};
  }

  std::vector<float> result() override {
    std::vector<float> c(data_.stored().c.size());
    copies_[current_]->c.read(c);
    return c_as_row_major(data_.call(), c);
  }

  // Uses memory that exists already, as for CLBlast.
  HostRun run_host_to_host() override {
    CudaMatrices& matrices = *copies_[current_];
    std::vector<float> c = data_.stored().c;
    const auto start = std::chrono::steady_clock::now();
    matrices.a.write(data_.stored().a);
    matrices.b.write(data_.stored().b);
    if (data_.call().beta != 0.0f) matrices.c.write(c);
    multiply(matrices);
    matrices.c.read(c);  // waits
    const double ms = ms_since(start);
    return {ms, c_as_row_major(data_.call(), c)};
  }

 private:
  double time_on_host() {
    next_copy();
    restore_c();
    const auto start = std::chrono::steady_clock::now();
    multiply(*copies_[current_]);
    wait();
    return ms_since(start);
  }

  // On an idle device, the time between the events would include the host's time to enqueue the calls, which
  // matters most for a small GEMM. So the device is kept busy until everything is enqueued. The last of this
  // work is the same GEMM with another C. It brings A and B back to the cache, unless copies are rotated to
  // keep them out.
  double time_on_device() {
    next_copy();
    restore_c();
    for (int i = 0; i < delaying_copies; ++i) delay_to_.copy_from(delay_from_);
    const CudaMatrices& matrices = *copies_[current_];
    if (copies_.size() == 1) {
      handle_.sgemm(data_.call(), matrices.a.data(), matrices.b.data(), other_c_.data());
    }
    start_.record();
    multiply(*copies_[current_]);
    end_.record();
    return start_.ms_until(end_);
  }

  void next_copy() { current_ = (current_ + 1) % copies_.size(); }

  void restore_c() {
    copies_[current_]->c.copy_from(original_c_);
    wait();
  }

  void multiply(CudaMatrices& matrices) const {
    handle_.sgemm(data_.call(), matrices.a.data(), matrices.b.data(), matrices.c.data());
  }
  void wait() const { cuda_.check_cuda(cuda_.runtime.synchronize(), "cudaDeviceSynchronize"); }

  const CudaLibraries& cuda_;
  CublasHandle handle_;
  const DeviceData& data_;
  CudaMatrix original_c_;
  std::vector<std::unique_ptr<CudaMatrices>> copies_;
  std::size_t current_ = 0;
  CudaMatrix other_c_;
  CudaMatrix delay_from_;
  CudaMatrix delay_to_;
  CudaEvent start_;
  CudaEvent end_;
};

class CublasPeer final : public Peer {
 public:
  CublasPeer(std::shared_ptr<const CudaLibraries> cuda, const Mode& mode, const std::string& where)
      : cuda_(std::move(cuda)),
        mode_(mode),
        version_(CublasHandle(*cuda_, mode.math).version()),
        settings_(fmt::format("{}, default workspace, {}, {}", mode.settings, where,
                              std::filesystem::path(cuda_->cublas_library.name()).filename().string())) {}

  std::string name() const override { return mode_.name; }
  std::string title() const override { return mode_.title; }
  std::string version() const override { return version_; }
  std::string settings() const override { return settings_; }
  bool computes_in_fp32() const override { return mode_.fp32; }
  std::unique_ptr<Contestant> enter(const DeviceData& data) const override {
    return std::make_unique<CublasContestant>(*cuda_, mode_.math, data);
  }

 private:
  std::shared_ptr<const CudaLibraries> cuda_;
  const Mode& mode_;
  std::string version_;
  std::string settings_;
};

}  // namespace

PeerList make_cublas(const PeerRequest& request, const cl::Device& device) {
  const auto cuda = std::make_shared<const CudaLibraries>(request.value);
  const Gpu gpu = find_gpu(*cuda, device);
  cuda->check_cuda(cuda->runtime.set_device(gpu.number), "cudaSetDevice");
  PeerList peers;
  for (const Mode& mode : modes) peers.push_back(std::make_unique<CublasPeer>(cuda, mode, gpu.where));
  return peers;
}

}  // namespace clgemm::bench
