// cuBLAS on copies of the same data in memory of its own, timed by CUDA's events around the call.
//
// It stands in the reports twice. cublas-fp32 is in the pedantic mode, which computes in fp32 and nothing
// else. cublas-tf32 lets the tensor cores round the operands to 10 bits of significand: many times the speed
// and some thousand times the error, which is beyond the bound that fp32 keeps.
#include <fmt/format.h>

#include <chrono>
#include <climits>

#include "error.hpp"
#include "peers/cuda_library.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

// Of cublas_api.h and driver_types.h.
constexpr int pedantic_math = 2;
constexpr int tf32_math = 3;
constexpr int no_transpose = 0;
constexpr int transpose = 1;
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;
constexpr int device_to_device = 3;

// Of cl_ext.h, where it is new enough: where the GPU is plugged in.
constexpr cl_device_info pci_bus = 0x4008;
constexpr cl_device_info pci_slot = 0x4009;
constexpr cl_device_info pci_domain = 0x400A;

struct Mode {
  const char* name;
  const char* title;
  int math;
  const char* settings;
  bool fp32;
};
constexpr Mode modes[] = {{"cublas-fp32", "cuBLAS fp32", pedantic_math, "CUBLAS_PEDANTIC_MATH", true},
                          {"cublas-tf32", "cuBLAS TF32", tf32_math, "CUBLAS_TF32_TENSOR_OP_MATH", false}};

int to_int(std::size_t value) {
  if (value > INT_MAX) throw Error(ErrorCode::invalid_argument, "larger than cuBLAS can say");
  return static_cast<int>(value);
}

int to_cublas(Transpose operand) {
  return operand == Transpose::yes ? transpose : no_transpose;
}

class CudaMatrix {
 public:
  CudaMatrix(const CudaLibraries& cuda, const std::vector<float>& matrix)
      : cuda_(cuda), bytes_(matrix.size() * sizeof(float)) {
    cuda_.check_cuda(cuda_.runtime.malloc(&memory_, bytes_), "cudaMalloc");
    write(matrix);
  }
  ~CudaMatrix() { cuda_.runtime.free(memory_); }
  CudaMatrix(const CudaMatrix&) = delete;
  CudaMatrix& operator=(const CudaMatrix&) = delete;

  void write(const std::vector<float>& matrix) {
    cuda_.check_cuda(cuda_.runtime.memcpy(memory_, matrix.data(), bytes_, host_to_device), "cudaMemcpy");
  }
  void copy_from(const CudaMatrix& other) {
    cuda_.check_cuda(cuda_.runtime.memcpy(memory_, other.memory_, bytes_, device_to_device), "cudaMemcpy");
  }
  void read(std::vector<float>& matrix) const {
    cuda_.check_cuda(cuda_.runtime.memcpy(matrix.data(), memory_, bytes_, device_to_host), "cudaMemcpy");
  }
  float* data() const { return static_cast<float*>(memory_); }

 private:
  const CudaLibraries& cuda_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

class CudaEvent {
 public:
  explicit CudaEvent(const CudaLibraries& cuda) : cuda_(cuda) {
    cuda_.check_cuda(cuda_.runtime.event_create(&event_), "cudaEventCreate");
  }
  ~CudaEvent() { cuda_.runtime.event_destroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  void record() { cuda_.check_cuda(cuda_.runtime.event_record(event_, nullptr), "cudaEventRecord"); }
  double ms_until(const CudaEvent& end) const {
    float ms = 0.0f;
    cuda_.check_cuda(cuda_.runtime.event_synchronize(end.event_), "cudaEventSynchronize");
    cuda_.check_cuda(cuda_.runtime.event_elapsed(&ms, event_, end.event_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  const CudaLibraries& cuda_;
  void* event_ = nullptr;
};

class CublasHandle {
 public:
  CublasHandle(const CudaLibraries& cuda, int math) : cuda_(cuda) {
    cuda_.check_cublas(cuda_.cublas.create(&handle_), "cublasCreate");
    cuda_.check_cublas(cuda_.cublas.set_math_mode(handle_, math), "cublasSetMathMode");
  }
  ~CublasHandle() { cuda_.cublas.destroy(handle_); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  // "13.1.0", from 130100; before 10, the major number has one digit less behind it, which nobody meets here.
  std::string version() const {
    int number = 0;
    cuda_.check_cublas(cuda_.cublas.version(handle_, &number), "cublasGetVersion");
    return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  }

  // cuBLAS knows columns only: a row-major C is the column-major product of the operands in reverse.
  void sgemm(const SgemmCall& call, const float* a, const float* b, float* c) const {
    const bool rows = call.layout == Layout::row_major;
    const int first = to_cublas(rows ? call.transpose_b : call.transpose_a);
    const int second = to_cublas(rows ? call.transpose_a : call.transpose_b);
    const int status = cuda_.cublas.sgemm(
        handle_, first, second, to_int(rows ? call.n : call.m), to_int(rows ? call.m : call.n),
        to_int(call.k), &call.alpha, rows ? b : a, to_int(rows ? call.ldb : call.lda), rows ? a : b,
        to_int(rows ? call.lda : call.ldb), &call.beta, c, to_int(call.ldc));
    cuda_.check_cublas(status, "cublasSgemm");
  }

 private:
  const CudaLibraries& cuda_;
  void* handle_ = nullptr;
};

// A, B and C in the GPU's memory.
struct CudaMatrices {
  CudaMatrices(const CudaLibraries& cuda, const StoredMatrices& stored)
      : a(cuda, stored.a), b(cuda, stored.b), c(cuda, stored.c) {}

  CudaMatrix a;
  CudaMatrix b;
  CudaMatrix c;
};

class CublasContestant final : public Contestant {
 public:
  CublasContestant(const CudaLibraries& cuda, int math, const DeviceData& data)
      : cuda_(cuda),
        handle_(cuda, math),
        data_(data),
        original_c_(cuda, data.stored().c),
        start_(cuda),
        end_(cuda) {
    for (std::size_t copy = 0; copy < data.copies(); ++copy) {
      copies_.push_back(std::make_unique<CudaMatrices>(cuda, data.stored()));
    }
  }

  RunTimes run() override {
    current_ = (current_ + 1) % copies_.size();
    copies_[current_]->c.copy_from(original_c_);
    wait();
    const auto start = std::chrono::steady_clock::now();
    start_.record();
    multiply(*copies_[current_]);
    end_.record();
    const double ms = start_.ms_until(end_);
    return {.operation_ms = ms, .call_ms = ms_since(start), .launches = 0};
  }

  std::vector<float> result() override {
    std::vector<float> c(data_.stored().c.size());
    copies_[current_]->c.read(c);
    return c_as_row_major(data_.call(), c);
  }

  // With memory that is there already, as for CLBlast.
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
                              cuda_->cublas_library.name())) {}

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

// Chooses the GPU that OpenCL's device is, where that is known, else CUDA's first; says which.
std::string choose_gpu(const CudaLibraries& cuda, const cl::Device& device) {
  cl_uint domain = 0;
  cl_uint bus = 0;
  cl_uint slot = 0;
  const auto ask = [&](cl_device_info what, cl_uint& value) {
    return clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) == CL_SUCCESS;
  };
  int number = 0;
  std::string where = "CUDA device 0, which is not known to be the OpenCL device";
  if (ask(pci_bus, bus) && ask(pci_slot, slot)) {
    ask(pci_domain, domain);  // older drivers do not know it, and machines with one have 0
    const std::string address = fmt::format("{:04x}:{:02x}:{:02x}.0", domain, bus, slot);
    cuda.check_cuda(cuda.runtime.device_by_pci(&number, address.c_str()), "cudaDeviceGetByPCIBusId");
    where = fmt::format("GPU {}", address);
  }
  cuda.check_cuda(cuda.runtime.set_device(number), "cudaSetDevice");
  return where;
}

}  // namespace

PeerList make_cublas(const PeerRequest& request, const cl::Device& device) {
  const auto cuda = std::make_shared<const CudaLibraries>(request.value);
  const std::string where = choose_gpu(*cuda, device);
  PeerList peers;
  for (const Mode& mode : modes) peers.push_back(std::make_unique<CublasPeer>(cuda, mode, where));
  return peers;
}

}  // namespace clgemm::bench
