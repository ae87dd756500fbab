// The BLAS of the CPU that takes what is not worth a device: one that the environment names, else one that
// the process has loaded, else the system's.
#pragma once

#include <cstdint>
#include <string>

#include "blas/call.hpp"

namespace clgemm::blas {

class CpuBlas {
 public:
  // CLGEMM_BLAS_CPU: a library's path or name, or "none". Without it, the first library after this one in the
  // process that has an SGEMM of its own, under any of the names that the field has for it; else
  // libblas.so.3, libopenblas.so.0, libblis.so.4 or libmkl_rt, loaded so that its own calls of BLAS
  // functions stay inside it. A library that turns out to be this one, under whatever name, is passed over.
  static CpuBlas find();

  explicit operator bool() const { return sgemm_ != nullptr; }

  // False where the call's numbers are too large for a library with integers of 32 bits.
  bool can_take(const Call& call) const;

  // Multiplies. The arguments have been checked.
  void multiply(const Call& call) const;

  // The library's file; empty without one.
  const std::string& path() const { return path_; }

  // Another of its functions or variables; null where there is none.
  void* symbol(const char* name) const;

 private:
  using Sgemm = void(const char* transpose_a, const char* transpose_b, const std::int64_t* m,
                     const std::int64_t* n, const std::int64_t* k, const float* alpha, const float* a,
                     const std::int64_t* lda, const float* b, const std::int64_t* ldb, const float* beta,
                     float* c, const std::int64_t* ldc, std::size_t transpose_a_length,
                     std::size_t transpose_b_length);

  bool take(void* handle, const char* wanted_file);

  Sgemm* sgemm_ = nullptr;
  bool long_integers_ = false;  // its name says so
  void* handle_ = nullptr;      // never closed: it may be in use to the end of the process
  std::string path_;
};

// The process's one, found at the first call.
const CpuBlas& cpu_blas();

// Multiplies in a plain loop: what is left where neither a device nor a CPU BLAS can. Slow, and right. Where
// alpha or k is 0 it only scales C.
void multiply_in_plain_loop(const Call& call);

}  // namespace clgemm::blas
