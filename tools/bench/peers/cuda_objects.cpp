#include "peers/cuda_objects.hpp"

#include <fmt/format.h>

#include <climits>
#include <utility>

#include "base/error.hpp"

namespace clgemm::bench {
namespace {

// From cublas_api.h and driver_types.h.
constexpr int no_transpose = 0;
constexpr int transpose = 1;
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;
constexpr int device_to_device = 3;

int to_int(std::size_t value) {
  if (value > INT_MAX) throw Error(ErrorCode::invalid_argument, "larger than cuBLAS can say");
  return static_cast<int>(value);
}

int to_cublas(Transpose operand) {
  return operand == Transpose::yes ? transpose : no_transpose;
}

}  // namespace

CudaMatrix::CudaMatrix(const CudaLibraries& cuda, std::size_t bytes) : cuda_(cuda), bytes_(bytes) {
  cuda_.check_cuda(cuda_.runtime.malloc(&memory_, bytes_), "cudaMalloc");
}

// If the write throws, the object exists already, and its destructor frees the memory.
CudaMatrix::CudaMatrix(const CudaLibraries& cuda, const std::vector<float>& matrix)
    : CudaMatrix(cuda, matrix.size() * sizeof(float)) {
  write(matrix);
}

CudaMatrix::~CudaMatrix() {
  cuda_.runtime.free(memory_);
}

void CudaMatrix::write(const std::vector<float>& matrix) {
  cuda_.check_cuda(cuda_.runtime.memcpy(memory_, matrix.data(), bytes_, host_to_device), "cudaMemcpy");
}

void CudaMatrix::read(std::vector<float>& matrix) const {
  cuda_.check_cuda(cuda_.runtime.memcpy(matrix.data(), memory_, bytes_, device_to_host), "cudaMemcpy");
}

void CudaMatrix::copy_from(const CudaMatrix& other) {
  cuda_.check_cuda(cuda_.runtime.memcpy(memory_, other.memory_, bytes_, device_to_device), "cudaMemcpy");
}

CudaEvent::CudaEvent(const CudaLibraries& cuda) : cuda_(cuda) {
  cuda_.check_cuda(cuda_.runtime.event_create(&event_), "cudaEventCreate");
}

CudaEvent::~CudaEvent() {
  cuda_.runtime.event_destroy(event_);
}

void CudaEvent::record() {
  cuda_.check_cuda(cuda_.runtime.event_record(event_, nullptr), "cudaEventRecord");
}

double CudaEvent::ms_until(const CudaEvent& end) const {
  float ms = 0.0f;
  cuda_.check_cuda(cuda_.runtime.event_synchronize(end.event_), "cudaEventSynchronize");
  cuda_.check_cuda(cuda_.runtime.event_elapsed(&ms, event_, end.event_), "cudaEventElapsedTime");
  return ms;
}

CublasHandle::CublasHandle(const CudaLibraries& cuda) : cuda_(cuda) {
  cuda_.check_cublas(cuda_.cublas.create(&handle_), "cublasCreate");
}

CublasHandle::CublasHandle(const CudaLibraries& cuda, int math) : CublasHandle(cuda) {
  cuda_.check_cublas(cuda_.cublas.set_math_mode(handle_, math), "cublasSetMathMode");
}

CublasHandle::~CublasHandle() {
  cuda_.cublas.destroy(handle_);
}

std::string CublasHandle::version() const {
  int number = 0;
  cuda_.check_cublas(cuda_.cublas.version(handle_, &number), "cublasGetVersion");
  // Since version 11, 130102 means 13.1.2.
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

// cuBLAS is column-major only. A row-major C is the column-major product of the operands in reverse order.
void CublasHandle::sgemm(const SgemmCall& call, const float* a, const float* b, float* c) const {
  struct Factor {
    const float* matrix;
    int transpose;
    int ld;
    long long stride;
  };
  const bool rows = call.layout == Layout::row_major;
  Factor first{a, to_cublas(call.transpose_a), to_int(call.lda), static_cast<long long>(call.stride_a)};
  Factor second{b, to_cublas(call.transpose_b), to_int(call.ldb), static_cast<long long>(call.stride_b)};
  if (rows) std::swap(first, second);
  const int m = to_int(rows ? call.n : call.m);
  const int n = to_int(rows ? call.m : call.n);
  if (call.batch_count == 1) {
    const int status =
        cuda_.cublas.sgemm(handle_, first.transpose, second.transpose, m, n, to_int(call.k), &call.alpha,
                           first.matrix, first.ld, second.matrix, second.ld, &call.beta, c, to_int(call.ldc));
    cuda_.check_cublas(status, "cublasSgemm");
    return;
  }
  const int status = cuda_.cublas.sgemm_strided_batched(
      handle_, first.transpose, second.transpose, m, n, to_int(call.k), &call.alpha, first.matrix, first.ld,
      first.stride, second.matrix, second.ld, second.stride, &call.beta, c, to_int(call.ldc),
      static_cast<long long>(call.stride_c), to_int(call.batch_count));
  cuda_.check_cublas(status, "cublasSgemmStridedBatched");
}

}  // namespace clgemm::bench
