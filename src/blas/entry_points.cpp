// The functions of the drop-in library: the BLAS's own names, for 32-bit and 64-bit integers. Start reading
// here; dispatch.cpp comes next.
#include <cstdint>
#include <cstring>
#include <optional>

#include "blas/dispatch.hpp"
#include "blas/faults.hpp"

#define CLGEMM_BLAS_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace clgemm::blas;
using clgemm::Argument;

// The values of cblas.h, whose enumerations are ints.
constexpr int row_major = 101;
constexpr int column_major = 102;

std::optional<bool> transposed_by_letter(char letter) {
  if (letter == 'N' || letter == 'n') return false;
  if (letter != '\0' && std::strchr("TtCc", letter) != nullptr) return true;
  return std::nullopt;
}

// Accepts CblasNoTrans, CblasTrans, CblasConjTrans, and OpenBLAS's CblasConjNoTrans.
std::optional<bool> transposed_by_number(int number) {
  if (number == 111 || number == 114) return false;
  if (number == 112 || number == 113) return true;
  return std::nullopt;
}

template <class Int>
void from_fortran(const char* transpose_a, const char* transpose_b, const Int* m, const Int* n, const Int* k,
                  const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb,
                  const float* beta, float* c, const Int* ldc) {
  const std::optional<bool> transposed_a = transposed_by_letter(*transpose_a);
  const std::optional<bool> transposed_b = transposed_by_letter(*transpose_b);
  if (!transposed_a) return report(Interface::fortran, Argument::transpose_a, false);
  if (!transposed_b) return report(Interface::fortran, Argument::transpose_b, false);
  const Call call{*transposed_a, *transposed_b, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc};
  if (const Argument fault = first_fault(call); fault != Argument::none)
    return report(Interface::fortran, fault, false);
  multiply(call);
}

// Returns a CBLAS call as column-major; nothing if an argument is wrong, which is then reported.
std::optional<Call> checked(Interface interface, int layout, int transpose_a, int transpose_b,
                            const Call& said) {
  const bool is_row_major = layout == row_major;
  Argument fault = Argument::none;
  const std::optional<bool> transposed_a = transposed_by_number(transpose_a);
  const std::optional<bool> transposed_b = transposed_by_number(transpose_b);
  Call call = said;
  if (!is_row_major && layout != column_major) {
    fault = Argument::layout;
  } else if (!transposed_a) {
    fault = Argument::transpose_a;
  } else if (!transposed_b) {
    fault = Argument::transpose_b;
  } else {
    call.transpose_a = *transposed_a;
    call.transpose_b = *transposed_b;
    if (is_row_major) {
      std::swap(call.transpose_a, call.transpose_b);
      std::swap(call.m, call.n);
      std::swap(call.a, call.b);
      std::swap(call.lda, call.ldb);
    }
    fault = first_fault(call);
  }
  if (fault == Argument::none) return call;
  report(interface, fault, is_row_major);
  return std::nullopt;
}

template <class Int>
void from_c(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k, float alpha, const float* a,
            Int lda, const float* b, Int ldb, float beta, float* c, Int ldc) {
  const Call said{false, false, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  if (const auto call = checked(Interface::cblas, layout, transpose_a, transpose_b, said)) multiply(*call);
}

template <class Int>
void strided_batch(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k, float alpha,
                   const float* a, Int lda, Int stride_a, const float* b, Int ldb, Int stride_b, float beta,
                   float* c, Int ldc, Int stride_c, Int batch_count) {
  const Call said{false, false, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  const auto first = checked(Interface::cblas_strided_batch, layout, transpose_a, transpose_b, said);
  if (!first) return;
  if (batch_count < 0)
    return report(Interface::cblas_strided_batch, Argument::batch_count, layout == row_major);
  if (layout == row_major) std::swap(stride_a, stride_b);
  Batch all{*first, {}, {}, {}};
  for (std::int64_t i = 0; i < batch_count; ++i) {
    all.a.push_back(first->a + i * stride_a);
    all.b.push_back(first->b + i * stride_b);
    all.c.push_back(first->c + i * stride_c);
  }
  multiply(all);
}

// Computes groups of GEMMs of one shape each. All groups are checked before any work.
template <class Int>
void batch(int layout, const int* transpose_a, const int* transpose_b, const Int* m, const Int* n,
           const Int* k, const float* alpha, const float* const* a, const Int* lda, const float* const* b,
           const Int* ldb, const float* beta, float* const* c, const Int* ldc, Int group_count,
           const Int* group_size) {
  const auto group_at = [&](Int i) {
    const Call said{false,  false,   m[i],   n[i],    k[i],    alpha[i], nullptr,
                    lda[i], nullptr, ldb[i], beta[i], nullptr, ldc[i]};
    return checked(Interface::cblas_batch, layout, transpose_a[i], transpose_b[i], said);
  };
  for (Int i = 0; i < group_count; ++i) {
    if (!group_at(i)) return;
    if (group_size[i] < 0) return report(Interface::cblas_batch, Argument::batch_count, layout == row_major);
  }
  std::int64_t next = 0;
  for (Int i = 0; i < group_count; ++i) {
    const std::int64_t end = next + group_size[i];
    const auto of_group = [&](auto* matrices) { return std::vector(matrices + next, matrices + end); };
    multiply(Batch{*group_at(i), of_group(layout == row_major ? b : a), of_group(layout == row_major ? a : b),
                   of_group(c)});
    next = end;
  }
}

}  // namespace

CLGEMM_BLAS_API void sgemm_(const char* transpose_a, const char* transpose_b, const std::int32_t* m,
                            const std::int32_t* n, const std::int32_t* k, const float* alpha, const float* a,
                            const std::int32_t* lda, const float* b, const std::int32_t* ldb,
                            const float* beta, float* c, const std::int32_t* ldc) {
  from_fortran(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void sgemm_64_(const char* transpose_a, const char* transpose_b, const std::int64_t* m,
                               const std::int64_t* n, const std::int64_t* k, const float* alpha,
                               const float* a, const std::int64_t* lda, const float* b,
                               const std::int64_t* ldb, const float* beta, float* c,
                               const std::int64_t* ldc) {
  from_fortran(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void cblas_sgemm(int layout, int transpose_a, int transpose_b, std::int32_t m, std::int32_t n,
                                 std::int32_t k, float alpha, const float* a, std::int32_t lda,
                                 const float* b, std::int32_t ldb, float beta, float* c, std::int32_t ldc) {
  from_c(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void cblas_sgemm64_(int layout, int transpose_a, int transpose_b, std::int64_t m,
                                    std::int64_t n, std::int64_t k, float alpha, const float* a,
                                    std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                                    std::int64_t ldc) {
  from_c(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void cblas_sgemm_64(int layout, int transpose_a, int transpose_b, std::int64_t m,
                                    std::int64_t n, std::int64_t k, float alpha, const float* a,
                                    std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                                    std::int64_t ldc) {
  from_c(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// The name of SGEMM in the OpenBLAS of the numpy and scipy packages on PyPI.
CLGEMM_BLAS_API void scipy_sgemm_(const char* transpose_a, const char* transpose_b, const std::int32_t* m,
                                  const std::int32_t* n, const std::int32_t* k, const float* alpha,
                                  const float* a, const std::int32_t* lda, const float* b,
                                  const std::int32_t* ldb, const float* beta, float* c,
                                  const std::int32_t* ldc) {
  from_fortran(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void scipy_sgemm_64_(const char* transpose_a, const char* transpose_b, const std::int64_t* m,
                                     const std::int64_t* n, const std::int64_t* k, const float* alpha,
                                     const float* a, const std::int64_t* lda, const float* b,
                                     const std::int64_t* ldb, const float* beta, float* c,
                                     const std::int64_t* ldc) {
  from_fortran(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void scipy_cblas_sgemm(int layout, int transpose_a, int transpose_b, std::int32_t m,
                                       std::int32_t n, std::int32_t k, float alpha, const float* a,
                                       std::int32_t lda, const float* b, std::int32_t ldb, float beta,
                                       float* c, std::int32_t ldc) {
  from_c(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void scipy_cblas_sgemm64_(int layout, int transpose_a, int transpose_b, std::int64_t m,
                                          std::int64_t n, std::int64_t k, float alpha, const float* a,
                                          std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                                          float* c, std::int64_t ldc) {
  from_c(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

CLGEMM_BLAS_API void cblas_sgemm_batch_strided(int layout, int transpose_a, int transpose_b, std::int32_t m,
                                               std::int32_t n, std::int32_t k, float alpha, const float* a,
                                               std::int32_t lda, std::int32_t stride_a, const float* b,
                                               std::int32_t ldb, std::int32_t stride_b, float beta, float* c,
                                               std::int32_t ldc, std::int32_t stride_c,
                                               std::int32_t batch_count) {
  strided_batch(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c,
                ldc, stride_c, batch_count);
}

CLGEMM_BLAS_API void cblas_sgemm_batch_strided64_(int layout, int transpose_a, int transpose_b,
                                                  std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                                                  const float* a, std::int64_t lda, std::int64_t stride_a,
                                                  const float* b, std::int64_t ldb, std::int64_t stride_b,
                                                  float beta, float* c, std::int64_t ldc,
                                                  std::int64_t stride_c, std::int64_t batch_count) {
  strided_batch(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c,
                ldc, stride_c, batch_count);
}

CLGEMM_BLAS_API void cblas_sgemm_batch(int layout, const int* transpose_a, const int* transpose_b,
                                       const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
                                       const float* alpha, const float* const* a, const std::int32_t* lda,
                                       const float* const* b, const std::int32_t* ldb, const float* beta,
                                       float* const* c, const std::int32_t* ldc, std::int32_t group_count,
                                       const std::int32_t* group_size) {
  batch(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count,
        group_size);
}

CLGEMM_BLAS_API void cblas_sgemm_batch64_(int layout, const int* transpose_a, const int* transpose_b,
                                          const std::int64_t* m, const std::int64_t* n, const std::int64_t* k,
                                          const float* alpha, const float* const* a, const std::int64_t* lda,
                                          const float* const* b, const std::int64_t* ldb, const float* beta,
                                          float* const* c, const std::int64_t* ldc, std::int64_t group_count,
                                          const std::int64_t* group_size) {
  batch(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count,
        group_size);
}
