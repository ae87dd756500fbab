// A call of the BLAS as the rest of this room sees it: column-major, as in Fortran. A row-major call is
// converted by exchanging A and B, because its C is the transpose of a column-major C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clgemm::blas {

struct Call {
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  float alpha = 0.0f;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  float beta = 0.0f;
  float* c = nullptr;
  std::int64_t ldc = 0;
};

// GEMMs that differ only in the places of their matrices. No two have the same C.
struct Batch {
  Call shape;  // its matrices have no meaning
  std::vector<const float*> a;
  std::vector<const float*> b;
  std::vector<float*> c;

  std::size_t count() const { return c.size(); }

  Call at(std::size_t i) const {
    Call call = shape;
    call.a = a[i];
    call.b = b[i];
    call.c = c[i];
    return call;
  }
};

// Returns m * n * k, in double, because it may be large.
inline double multiplications(const Call& call) {
  return static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
}

// Returns a batch of one.
inline Batch batch_of(const Call& call) {
  return {call, {call.a}, {call.b}, {call.c}};
}

// The subject of a decision: a call, or a batch of such calls.
struct Work {
  Call shape;  // its matrices have no meaning
  std::size_t count = 1;
};

inline double multiplications(const Work& work) {
  return multiplications(work.shape) * static_cast<double>(work.count);
}

}  // namespace clgemm::blas
