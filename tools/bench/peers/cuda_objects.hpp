// Owners of what CUDA and cuBLAS allocate, freed by the destructors. The libraries must outlive them.
// Failures throw Error.
#pragma once

#include <string>
#include <vector>

#include "call/problem.hpp"
#include "peers/cuda_library.hpp"

namespace clgemm::bench {

class CudaMatrix {
 public:
  CudaMatrix(const CudaLibraries& cuda, const std::vector<float>& matrix);
  ~CudaMatrix();
  CudaMatrix(const CudaMatrix&) = delete;
  CudaMatrix& operator=(const CudaMatrix&) = delete;

  // Transfers as many elements as the matrix has. The transfers are complete on return, except for
  // copy_from().
  void write(const std::vector<float>& matrix);
  void read(std::vector<float>& matrix) const;
  void copy_from(const CudaMatrix& other);

  float* data() const { return static_cast<float*>(memory_); }

 private:
  CudaMatrix(const CudaLibraries& cuda, std::size_t bytes);

  const CudaLibraries& cuda_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

class CudaEvent {
 public:
  explicit CudaEvent(const CudaLibraries& cuda);
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  // Records on the default stream, like all work here.
  void record();

  // Waits for `end`.
  double ms_until(const CudaEvent& end) const;

 private:
  const CudaLibraries& cuda_;
  void* event_ = nullptr;
};

class CublasHandle {
 public:
  // `math`: a value of cublasMath_t.
  CublasHandle(const CudaLibraries& cuda, int math);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  // "13.1.0"
  std::string version() const;

  void sgemm(const SgemmCall& call, const float* a, const float* b, float* c) const;

 private:
  explicit CublasHandle(const CudaLibraries& cuda);

  const CudaLibraries& cuda_;
  void* handle_ = nullptr;
};

}  // namespace clgemm::bench
