// cublasXt: cuBLAS's GEMM on matrices in the host's memory, on one GPU or several. The reports have it twice:
// with pageable memory, and with memory that is pinned for each call. All its times are the host's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "peers/cuda_gpu.hpp"
#include "peers/cuda_library.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

// The side of its blocks. Its default is 2048; larger ones read the operands less often.
constexpr int block_side = 4096;

struct Functions {
  explicit Functions(const SharedLibrary& library)
      : create(library.get<int(void**)>("cublasXtCreate")),
        destroy(library.get<int(void*)>("cublasXtDestroy")),
        select(library.get<int(void*, int, int*)>("cublasXtDeviceSelect")),
        set_block(library.get<int(void*, int)>("cublasXtSetBlockDim")),
        set_pinning(library.get<int(void*, int)>("cublasXtSetPinningMemMode")),
        sgemm(library
                  .get<int(void*, int, int, std::size_t, std::size_t, std::size_t, const float*, const float*,
                           std::size_t, const float*, std::size_t, const float*, float*, std::size_t)>(
                      "cublasXtSgemm")) {}

  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*select)(void* handle, int count, int* devices);
  int (*set_block)(void* handle, int side);
  int (*set_pinning)(void* handle, int mode);
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, std::size_t m, std::size_t n, std::size_t k,
               const float* alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
               const float* beta, float* c, std::size_t ldc);
};

struct Setup {
  std::shared_ptr<const CudaLibraries> cuda;
  std::vector<int> gpus;
  bool pins = false;
};

class Handle {
 public:
  explicit Handle(const Setup& setup) : cuda_(*setup.cuda), functions_(setup.cuda->cublas_library) {
    cuda_.check_cublas(functions_.create(&handle_), "cublasXtCreate");
    std::vector<int> gpus = setup.gpus;
    cuda_.check_cublas(functions_.select(handle_, static_cast<int>(gpus.size()), gpus.data()),
                       "cublasXtDeviceSelect");
    cuda_.check_cublas(functions_.set_block(handle_, block_side), "cublasXtSetBlockDim");
    cuda_.check_cublas(functions_.set_pinning(handle_, setup.pins ? 1 : 0), "cublasXtSetPinningMemMode");
  }
  ~Handle() { functions_.destroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Returns when C is complete. Like cuBLAS, it takes column-major matrices. For row-major ones, it computes
  // C^T = B^T A^T.
  void sgemm(const SgemmCall& call, const float* a, const float* b, float* c) const {
    const auto transpose = [](Transpose of) { return of == Transpose::yes ? 1 : 0; };
    const bool rows = call.layout == Layout::row_major;
    const int status = functions_.sgemm(handle_, transpose(rows ? call.transpose_b : call.transpose_a),
                                        transpose(rows ? call.transpose_a : call.transpose_b),
                                        rows ? call.n : call.m, rows ? call.m : call.n, call.k, &call.alpha,
                                        rows ? b : a, rows ? call.ldb : call.lda, rows ? a : b,
                                        rows ? call.lda : call.ldb, &call.beta, c, call.ldc);
    cuda_.check_cublas(status, "cublasXtSgemm");
  }

 private:
  const CudaLibraries& cuda_;
  Functions functions_;
  void* handle_ = nullptr;
};

class CublasXtContestant final : public Contestant {
 public:
  CublasXtContestant(const Setup& setup, const DeviceData& data) : handle_(setup), data_(data) {
    if (data.call().batch_count != 1)
      throw Error(ErrorCode::invalid_argument, "cublasXt has no batches of host matrices");
  }

  RunTimes run() override { return {.operation_ms = 0.0, .call_ms = multiply(), .launches = 0}; }

  std::vector<float> result() override { return c_as_row_major(data_.call(), c_); }

  HostRun run_host_to_host() override {
    const double ms = multiply();
    return {ms, result()};
  }

 private:
  double multiply() {
    const StoredMatrices& stored = data_.stored();
    c_ = stored.c;
    const auto start = std::chrono::steady_clock::now();
    handle_.sgemm(data_.call(), stored.a.data(), stored.b.data(), c_.data());
    return ms_since(start);
  }

  Handle handle_;
  const DeviceData& data_;
  std::vector<float> c_;
};

class CublasXtPeer final : public Peer {
 public:
  explicit CublasXtPeer(Setup setup)
      : setup_(std::move(setup)), version_(CublasHandle(*setup_.cuda, 0).version()) {}

  std::string name() const override { return setup_.pins ? "cublasxt-pinning" : "cublasxt"; }
  std::string title() const override { return setup_.pins ? "cublasXt pinning" : "cublasXt"; }
  std::string version() const override { return version_; }
  std::string settings() const override {
    return fmt::format("{} GPUs, blocks of {}, host's matrices {}", setup_.gpus.size(), block_side,
                       setup_.pins ? "pinned in each call" : "not pinned");
  }
  std::unique_ptr<Contestant> enter(const DeviceData& data) const override {
    return std::make_unique<CublasXtContestant>(setup_, data);
  }

 private:
  Setup setup_;
  std::string version_;
};

}  // namespace

PeerList make_cublasxt(const PeerRequest& request, const cl::Device& device) {
  Setup setup{std::make_shared<const CudaLibraries>(request.value), {}, false};
  std::vector<cl::Device> devices = request.devices;
  if (devices.empty()) devices = {device};
  for (const cl::Device& each : devices) setup.gpus.push_back(find_gpu(*setup.cuda, each).number);
  PeerList peers;
  for (const bool pins : {false, true}) {
    setup.pins = pins;
    peers.push_back(std::make_unique<CublasXtPeer>(setup));
  }
  return peers;
}

}  // namespace clgemm::bench
