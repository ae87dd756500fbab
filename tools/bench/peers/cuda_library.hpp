// The few functions of CUDA's runtime and of cuBLAS that a multiply needs, loaded while the program runs: no
// part of CUDA is there at build time. Enumerations are ints in CUDA's headers, handles are pointers.
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
  // `folder`: where to look; empty: where the dynamic linker and CUDA's installer put them. Throws
  // std::runtime_error that says what is not there.
  explicit CudaLibraries(const std::string& folder);

  SharedLibrary runtime_library;
  SharedLibrary cublas_library;
  CudaRuntime runtime;
  Cublas cublas;

  // Throws Error where the status of a call is not success; `what` names it.
  void check_cuda(int status, const char* what) const;
  void check_cublas(int status, const char* what) const;
};

}  // namespace clgemm::bench
