// The few functions of CUDA's runtime and of cuBLAS that a GEMM needs. They are loaded while the program
// runs, so the build needs no part of CUDA. Enumerations are ints in CUDA's headers, handles are pointers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "peers/shared_library.hpp"

namespace clgemm::bench {

struct CudaRuntime {
  explicit CudaRuntime(const SharedLibrary& library);

  int (*set_device)(int device);
  int (*device_by_pci)(int* device, const char* pci_bus_id);
  int (*malloc)(void** pointer, std::size_t bytes);
  int (*free)(void* pointer);
  int (*memcpy)(void* to, const void* from, std::size_t bytes, int kind);
  int (*event_create)(void** event);
  int (*event_destroy)(void* event);
  int (*event_record)(void* event, void* stream);
  int (*event_synchronize)(void* event);
  int (*event_elapsed)(float* ms, void* start, void* end);
  int (*synchronize)();
  const char* (*error_text)(int status);
};

struct Cublas {
  explicit Cublas(const SharedLibrary& library);

  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*version)(void* handle, int* version);
  int (*set_math_mode)(void* handle, int mode);
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
               const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
  int (*sgemm_strided_batched)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                               const float* alpha, const float* a, int lda, long long stride_a,
                               const float* b, int ldb, long long stride_b, const float* beta, float* c,
                               int ldc, long long stride_c, int batch_count);
};

struct CudaLibraries {
  // `folder` is where to search. If it is empty, the search uses the paths of the dynamic linker and of
  // CUDA's installer. Throws std::runtime_error that names what is missing.
  explicit CudaLibraries(const std::string& folder);

  SharedLibrary runtime_library;
  SharedLibrary cublas_library;
  CudaRuntime runtime;
  Cublas cublas;

  // Throws Error if the status of a call is not success; `what` names the call.
  void check_cuda(int status, const char* what) const;
  void check_cublas(int status, const char* what) const;
};

}  // namespace clgemm::bench
