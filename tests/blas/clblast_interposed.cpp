// CLBlast's GEMM of floats, by clgemm: loaded in front of CLBlast's own test programs, which then test
// clgemm. Statuses are those that CLBlast has for the same faults, in its order.
#include <clblast.h>

#include <clgemm/clgemm.hpp>
#include <complex>
#include <cstdio>
#include <type_traits>

namespace clblast {
namespace {

clgemm::Layout to_clgemm(Layout layout) {
  return layout == Layout::kRowMajor ? clgemm::Layout::row_major : clgemm::Layout::column_major;
}

clgemm::Transpose to_clgemm(Transpose transpose) {
  return transpose == Transpose::kNo ? clgemm::Transpose::no : clgemm::Transpose::yes;
}

StatusCode status_of(const clgemm::Error& error, StatusCode of_a, StatusCode of_b, StatusCode of_c) {
  switch (error.argument()) {
    case clgemm::Argument::a:
    case clgemm::Argument::lda:
      return of_a;
    case clgemm::Argument::b:
    case clgemm::Argument::ldb:
      return of_b;
    case clgemm::Argument::c:
    case clgemm::Argument::ldc:
      return of_c;
    default:
      return StatusCode::kUnexpectedError;
  }
}

// Once: that it was here at all.
void tell() {
  static const int told = std::fprintf(stderr, "GEMM of floats: clgemm\n");
  static_cast<void>(told);
}

template <class Call>
StatusCode with_status(std::size_t m, std::size_t n, std::size_t k, Call&& call) {
  tell();
  if (m == 0 || n == 0 || k == 0) return StatusCode::kInvalidDimension;
  try {
    call();
    return StatusCode::kSuccess;
  } catch (const clgemm::Error& error) {
    if (error.code() == clgemm::ErrorCode::invalid_leading_dimension) {
      return status_of(error, StatusCode::kInvalidLeadDimA, StatusCode::kInvalidLeadDimB,
                       StatusCode::kInvalidLeadDimC);
    }
    return status_of(error, StatusCode::kInsufficientMemoryA, StatusCode::kInsufficientMemoryB,
                     StatusCode::kInsufficientMemoryC);
  }
}

}  // namespace

template <class T>
StatusCode Gemm(const Layout layout, const Transpose transpose_a, const Transpose transpose_b,
                const std::size_t m, const std::size_t n, const std::size_t k, const T alpha, const cl_mem a,
                const std::size_t offset_a, const std::size_t lda, const cl_mem b, const std::size_t offset_b,
                const std::size_t ldb, const T beta, cl_mem c, const std::size_t offset_c,
                const std::size_t ldc, cl_command_queue* queue, cl_event* event, cl_mem /*scratch*/) {
  if constexpr (!std::is_same_v<T, float>) {
    return StatusCode::kNoDoublePrecision;
  } else {
    return with_status(m, n, k, [&] {
      clgemm::sgemm(*queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k, alpha,
                    {a, lda, offset_a}, {b, ldb, offset_b}, beta, {c, ldc, offset_c}, {}, event);
    });
  }
}

template <class T>
StatusCode GemmStridedBatched(const Layout layout, const Transpose transpose_a, const Transpose transpose_b,
                              const std::size_t m, const std::size_t n, const std::size_t k, const T alpha,
                              const cl_mem a, const std::size_t offset_a, const std::size_t lda,
                              const std::size_t stride_a, const cl_mem b, const std::size_t offset_b,
                              const std::size_t ldb, const std::size_t stride_b, const T beta, cl_mem c,
                              const std::size_t offset_c, const std::size_t ldc, const std::size_t stride_c,
                              const std::size_t batch_count, cl_command_queue* queue, cl_event* event) {
  if constexpr (!std::is_same_v<T, float>) {
    return StatusCode::kNoDoublePrecision;
  } else {
    if (batch_count < 1) return StatusCode::kInvalidBatchCount;
    return with_status(m, n, k, [&] {
      clgemm::context_for(*queue)->sgemm_strided_batched(
          *queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k, alpha,
          {a, lda, offset_a}, stride_a, {b, ldb, offset_b}, stride_b, beta, {c, ldc, offset_c}, stride_c,
          batch_count, {}, event);
    });
  }
}

// CLBlast's batch has an alpha and a beta for each multiply, so that each is a call of its own.
template <class T>
StatusCode GemmBatched(const Layout layout, const Transpose transpose_a, const Transpose transpose_b,
                       const std::size_t m, const std::size_t n, const std::size_t k, const T* alphas,
                       const cl_mem a, const std::size_t* offsets_a, const std::size_t lda, const cl_mem b,
                       const std::size_t* offsets_b, const std::size_t ldb, const T* betas, cl_mem c,
                       const std::size_t* offsets_c, const std::size_t ldc, const std::size_t batch_count,
                       cl_command_queue* queue, cl_event* event) {
  if constexpr (!std::is_same_v<T, float>) {
    return StatusCode::kNoDoublePrecision;
  } else {
    if (batch_count < 1) return StatusCode::kInvalidBatchCount;
    return with_status(m, n, k, [&] {
      for (std::size_t i = 0; i < batch_count; ++i) {
        const bool is_last = i + 1 == batch_count;
        clgemm::sgemm(*queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k,
                      alphas[i], {a, lda, offsets_a[i]}, {b, ldb, offsets_b[i]}, betas[i],
                      {c, ldc, offsets_c[i]}, {}, is_last ? event : nullptr);
      }
    });
  }
}

template StatusCode PUBLIC_API Gemm<float>(Layout, Transpose, Transpose, std::size_t, std::size_t,
                                           std::size_t, float, cl_mem, std::size_t, std::size_t, cl_mem,
                                           std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t,
                                           cl_command_queue*, cl_event*, cl_mem);
template StatusCode PUBLIC_API GemmStridedBatched<float>(Layout, Transpose, Transpose, std::size_t,
                                                         std::size_t, std::size_t, float, cl_mem, std::size_t,
                                                         std::size_t, std::size_t, cl_mem, std::size_t,
                                                         std::size_t, std::size_t, float, cl_mem, std::size_t,
                                                         std::size_t, std::size_t, std::size_t,
                                                         cl_command_queue*, cl_event*);
template StatusCode PUBLIC_API GemmBatched<float>(Layout, Transpose, Transpose, std::size_t, std::size_t,
                                                  std::size_t, const float*, cl_mem, const std::size_t*,
                                                  std::size_t, cl_mem, const std::size_t*, std::size_t,
                                                  const float*, cl_mem, const std::size_t*, std::size_t,
                                                  std::size_t, cl_command_queue*, cl_event*);

template StatusCode PUBLIC_API Gemm<double>(Layout, Transpose, Transpose, std::size_t, std::size_t,
                                            std::size_t, double, cl_mem, std::size_t, std::size_t, cl_mem,
                                            std::size_t, std::size_t, double, cl_mem, std::size_t,
                                            std::size_t, cl_command_queue*, cl_event*, cl_mem);
template StatusCode PUBLIC_API GemmStridedBatched<double>(Layout, Transpose, Transpose, std::size_t,
                                                          std::size_t, std::size_t, double, cl_mem,
                                                          std::size_t, std::size_t, std::size_t, cl_mem,
                                                          std::size_t, std::size_t, std::size_t, double,
                                                          cl_mem, std::size_t, std::size_t, std::size_t,
                                                          std::size_t, cl_command_queue*, cl_event*);
template StatusCode PUBLIC_API GemmBatched<double>(Layout, Transpose, Transpose, std::size_t, std::size_t,
                                                   std::size_t, const double*, cl_mem, const std::size_t*,
                                                   std::size_t, cl_mem, const std::size_t*, std::size_t,
                                                   const double*, cl_mem, const std::size_t*, std::size_t,
                                                   std::size_t, cl_command_queue*, cl_event*);

template StatusCode PUBLIC_API Gemm<std::complex<float>>(Layout, Transpose, Transpose, std::size_t,
                                                         std::size_t, std::size_t, std::complex<float>,
                                                         cl_mem, std::size_t, std::size_t, cl_mem,
                                                         std::size_t, std::size_t, std::complex<float>,
                                                         cl_mem, std::size_t, std::size_t, cl_command_queue*,
                                                         cl_event*, cl_mem);
template StatusCode PUBLIC_API GemmStridedBatched<std::complex<float>>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, std::complex<float>, cl_mem,
    std::size_t, std::size_t, std::size_t, cl_mem, std::size_t, std::size_t, std::size_t, std::complex<float>,
    cl_mem, std::size_t, std::size_t, std::size_t, std::size_t, cl_command_queue*, cl_event*);
template StatusCode PUBLIC_API GemmBatched<std::complex<float>>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, const std::complex<float>*, cl_mem,
    const std::size_t*, std::size_t, cl_mem, const std::size_t*, std::size_t, const std::complex<float>*,
    cl_mem, const std::size_t*, std::size_t, std::size_t, cl_command_queue*, cl_event*);

template StatusCode PUBLIC_API Gemm<std::complex<double>>(Layout, Transpose, Transpose, std::size_t,
                                                          std::size_t, std::size_t, std::complex<double>,
                                                          cl_mem, std::size_t, std::size_t, cl_mem,
                                                          std::size_t, std::size_t, std::complex<double>,
                                                          cl_mem, std::size_t, std::size_t, cl_command_queue*,
                                                          cl_event*, cl_mem);
template StatusCode PUBLIC_API GemmStridedBatched<std::complex<double>>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, std::complex<double>, cl_mem,
    std::size_t, std::size_t, std::size_t, cl_mem, std::size_t, std::size_t, std::size_t,
    std::complex<double>, cl_mem, std::size_t, std::size_t, std::size_t, std::size_t, cl_command_queue*,
    cl_event*);
template StatusCode PUBLIC_API GemmBatched<std::complex<double>>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, const std::complex<double>*, cl_mem,
    const std::size_t*, std::size_t, cl_mem, const std::size_t*, std::size_t, const std::complex<double>*,
    cl_mem, const std::size_t*, std::size_t, std::size_t, cl_command_queue*, cl_event*);

template StatusCode PUBLIC_API Gemm<unsigned short>(Layout, Transpose, Transpose, std::size_t, std::size_t,
                                                    std::size_t, unsigned short, cl_mem, std::size_t,
                                                    std::size_t, cl_mem, std::size_t, std::size_t,
                                                    unsigned short, cl_mem, std::size_t, std::size_t,
                                                    cl_command_queue*, cl_event*, cl_mem);
template StatusCode PUBLIC_API GemmStridedBatched<unsigned short>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, unsigned short, cl_mem, std::size_t,
    std::size_t, std::size_t, cl_mem, std::size_t, std::size_t, std::size_t, unsigned short, cl_mem,
    std::size_t, std::size_t, std::size_t, std::size_t, cl_command_queue*, cl_event*);
template StatusCode PUBLIC_API GemmBatched<unsigned short>(
    Layout, Transpose, Transpose, std::size_t, std::size_t, std::size_t, const unsigned short*, cl_mem,
    const std::size_t*, std::size_t, cl_mem, const std::size_t*, std::size_t, const unsigned short*, cl_mem,
    const std::size_t*, std::size_t, std::size_t, cl_command_queue*, cl_event*);

}  // namespace clblast
