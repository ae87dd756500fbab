// The BLAS of the CPU, for calls that are not worth a device: the library that the environment names, or else
// one that the process has loaded, or else the system's library.
#pragma once

#include <cstdint>
#include <string>

#include "blas/call.hpp"

namespace clgemm::blas {

class CpuBlas {
 public:
  // CLGEMM_BLAS_CPU is the path or name of a library, or "none". Without it, the first library after this one
  // in the process is used that has an SGEMM of its own, under any of its usual names. If there is none,
  // libblas.so.3, libopenblas.so.0, libblis.so.4 or libmkl_rt is loaded in such a way that its own calls of
  // BLAS functions stay inside it. A library that is this one under another name is skipped.
  static CpuBlas find();

  explicit operator bool() const { return sgemm_ != nullptr; }

  // Returns false if the call's numbers are too large for a library with 32-bit integers.
  bool can_take(const Call& call) const;

  // Computes the GEMM. The arguments have been checked.
  void multiply(const Call& call) const;

  // Returns the library's file; empty if there is no library.
  const std::string& path() const { return path_; }

  // Returns another of its functions or variables; null if there is none.
  void* symbol(const char* name) const;

 private:
  using Sgemm = void(const char* transpose_a, const char* transpose_b, const std::int64_t* m,
                     const std::int64_t* n, const std::int64_t* k, const float* alpha, const float* a,
                     const std::int64_t* lda, const float* b, const std::int64_t* ldb, const float* beta,
                     float* c, const std::int64_t* ldc, std::size_t transpose_a_length,
                     std::size_t transpose_b_length);

  bool take(void* handle, const char* wanted_file);

  Sgemm* sgemm_ = nullptr;
  bool long_integers_ = false;  // known from its name
  void* handle_ = nullptr;      // never closed: it may be in use until the end of the process
  std::string path_;
};

// Returns the BLAS of this process, which the first call finds.
const CpuBlas& cpu_blas();

// Computes the GEMM in a plain loop, if neither a device nor a CPU BLAS can do it. It is slow but correct. If
// alpha or k is 0, it only scales C.
void multiply_in_plain_loop(const Call& call);

}  // namespace clgemm::blas
