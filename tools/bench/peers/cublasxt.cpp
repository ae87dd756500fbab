// cublasXt: cuBLAS's GEMM on matrices in the host's memory, on one GPU or several. The reports have it twice:
// with pageable memory, and with memory that is pinned for each call. All its times are the host's.
#include <fmt/format.h>

#include "base/error.hpp"
#include "peers/cuda.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

// The side of its blocks. Its default is 2048; larger ones read the operands less often.
constexpr int block_side = 4096;

struct Functions {
  const SharedLibrary& library;

  int (*create)(void** handle) = library.get("cublasXtCreate");
  int (*destroy)(void* handle) = library.get("cublasXtDestroy");
  int (*select)(void* handle, int count, int* devices) = library.get("cublasXtDeviceSelect");
  int (*set_block)(void* handle, int side) = library.get("cublasXtSetBlockDim");
  int (*set_pinning)(void* handle, int mode) = library.get("cublasXtSetPinningMemMode");
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, std::size_t m, std::size_t n, std::size_t k,
               const float* alpha, const float* a, std::size_t lda, const float* b, std::size_t ldb,
               const float* beta, float* c, std::size_t ldc) = library.get("cublasXtSgemm");
};

struct Setup {
  std::shared_ptr<const Cuda> cuda;
  std::vector<int> gpus;
  bool pins = false;
};

CudaObject make_handle(const Setup& setup, const Functions& functions) {
  const Cuda& cuda = *setup.cuda;
  void* handle = nullptr;
  cuda.check_cublas(functions.create(&handle), "cublasXtCreate");
  CudaObject object{handle, functions.destroy};
  std::vector<int> gpus = setup.gpus;
  cuda.check_cublas(functions.select(handle, static_cast<int>(gpus.size()), gpus.data()),
                    "cublasXtDeviceSelect");
  cuda.check_cublas(functions.set_block(handle, block_side), "cublasXtSetBlockDim");
  cuda.check_cublas(functions.set_pinning(handle, setup.pins ? 1 : 0), "cublasXtSetPinningMemMode");
  return object;
}

class CublasXtContestant final : public Contestant {
 public:
  CublasXtContestant(const Setup& setup, const DeviceData& data)
      : setup_(setup), functions_{setup.cuda->cublas}, handle_(make_handle(setup, functions_)), data_(data) {
    if (data.call().batch_count != 1)
      throw Error(ErrorCode::invalid_argument, "cublasXt does not support batches of host matrices");
  }

  RunTimes run() override {
    last_ = run_host_to_host();
    return {.operation_ms = 0.0, .call_ms = last_.ms, .launches = 0};
  }

  std::vector<float> result() override { return last_.c; }

  // The function of cublasXt returns when C is complete.
  HostRun run_host_to_host() override {
    const SgemmCall& call = data_.call();
    const CublasCall in(call, data_.stored().a.data(), data_.stored().b.data());
    return host_run(data_, [&](std::vector<float>& c) {
      const int status = functions_.sgemm(handle_.get(), in.first.transpose, in.second.transpose, in.m, in.n,
                                          call.k, &call.alpha, in.first.matrix, in.first.ld, in.second.matrix,
                                          in.second.ld, &call.beta, c.data(), call.ldc);
      setup_.cuda->check_cublas(status, "cublasXtSgemm");
    });
  }

 private:
  Setup setup_;
  Functions functions_;
  CudaObject handle_;
  const DeviceData& data_;
  HostRun last_;
};

}  // namespace

std::vector<Peer> make_cublasxt(const PeerRequest& request, const cl::Device& device) {
  Setup setup{std::make_shared<const Cuda>(request.value), {}, false};
  std::vector<cl::Device> devices = request.devices;
  if (devices.empty()) devices = {device};
  for (const cl::Device& each : devices) setup.gpus.push_back(find_gpu(*setup.cuda, each).number);
  std::vector<Peer> peers;
  for (const bool pins : {false, true}) {
    setup.pins = pins;
    const std::string settings = fmt::format("{} GPUs, blocks of {}, host matrices {}", setup.gpus.size(),
                                             block_side, pins ? "pinned in each call" : "not pinned");
    peers.push_back(
        {{pins ? "cublasxt-pinning" : "cublasxt", setup.cuda->cublas_version(), settings, {}},
         [setup](const DeviceData& data) { return std::make_unique<CublasXtContestant>(setup, data); }});
  }
  return peers;
}

}  // namespace clgemm::bench
