// The few functions of CUDA's runtime and of cuBLAS that a GEMM needs. They are loaded while the program
// runs, so the build needs no part of CUDA. Enumerations are ints in CUDA's headers, handles are pointers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/opencl.hpp"
#include "call/problem.hpp"
#include "peers/shared_library.hpp"

namespace clgemm::bench {

// Memory, an event or a handle, with the function that frees it.
using CudaObject = std::unique_ptr<void, int (*)(void*)>;

struct Cuda {
  // `folder` is where to search. If it is empty, the search uses the paths of the dynamic linker and of
  // CUDA's installer. Throws std::runtime_error that names what is missing.
  explicit Cuda(const std::string& folder);

  // Throws Error if the status of a call is not success; `what` names the call.
  void check(int status, const char* what) const;
  void check_cublas(int status, const char* what) const;

  CudaObject allocate(std::size_t bytes) const;
  CudaObject make_event() const;
  CudaObject make_cublas(int math) const;  // `math`: a value of cublasMath_t

  // "13.1.0"
  std::string cublas_version() const;

  SharedLibrary runtime;
  SharedLibrary cublas;

  int (*set_device)(int device) = runtime.get("cudaSetDevice");
  int (*device_by_pci)(int* device, const char* pci_bus_id) = runtime.get("cudaDeviceGetByPCIBusId");
  int (*malloc)(void** pointer, std::size_t bytes) = runtime.get("cudaMalloc");
  int (*free)(void* pointer) = runtime.get("cudaFree");
  int (*memcpy)(void* to, const void* from, std::size_t bytes, int kind) = runtime.get("cudaMemcpy");
  int (*event_create)(void** event) = runtime.get("cudaEventCreate");
  int (*event_destroy)(void* event) = runtime.get("cudaEventDestroy");
  int (*event_record)(void* event, void* stream) = runtime.get("cudaEventRecord");
  int (*event_synchronize)(void* event) = runtime.get("cudaEventSynchronize");
  int (*event_elapsed)(float* ms, void* start, void* end) = runtime.get("cudaEventElapsedTime");
  int (*synchronize)() = runtime.get("cudaDeviceSynchronize");
  const char* (*error_text)(int status) = runtime.get("cudaGetErrorString");

  int (*create)(void** handle) = cublas.get("cublasCreate_v2");
  int (*destroy)(void* handle) = cublas.get("cublasDestroy_v2");
  int (*version)(void* handle, int* version) = cublas.get("cublasGetVersion_v2");
  int (*set_math_mode)(void* handle, int mode) = cublas.get("cublasSetMathMode");
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
               const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
               int ldc) = cublas.get("cublasSgemm_v2");
  int (*sgemm_strided_batched)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                               const float* alpha, const float* a, int lda, long long stride_a,
                               const float* b, int ldb, long long stride_b, const float* beta, float* c,
                               int ldc, long long stride_c,
                               int batch_count) = cublas.get("cublasSgemmStridedBatched");
};

// A GEMM in the terms of cuBLAS, which is column-major only. A row-major C is the column-major product of the
// operands in reverse order.
struct CublasCall {
  struct Factor {
    const float* matrix;
    int transpose;
    std::size_t ld;
    std::size_t stride;
  };

  CublasCall(const SgemmCall& call, const float* a, const float* b);

  std::size_t m;
  std::size_t n;
  Factor first;
  Factor second;
};

struct Gpu {
  int number = 0;     // CUDA's number
  std::string where;  // described in words
};

// Finds the CUDA GPU that an OpenCL device is, by its PCI address. If that is unknown, takes CUDA's first
// GPU.
Gpu find_gpu(const Cuda& cuda, const cl::Device& device);

}  // namespace clgemm::bench
