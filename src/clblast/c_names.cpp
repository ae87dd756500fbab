// The names of CLBlast in C: each calls its twin in C++.
#include <clblast.h>
#include <clblast_c.h>

#include <string>
#include <unordered_map>

#include "clblast/status.hpp"

namespace {

clblast::Layout to_cxx(CLBlastLayout layout) {
  return static_cast<clblast::Layout>(layout);
}

clblast::Transpose to_cxx(CLBlastTranspose transpose) {
  return static_cast<clblast::Transpose>(transpose);
}

CLBlastStatusCode to_c(clblast::StatusCode status) {
  return static_cast<CLBlastStatusCode>(status);
}

}  // namespace

CLBlastStatusCode CLBlastSgemm(const CLBlastLayout layout, const CLBlastTranspose transpose_a,
                               const CLBlastTranspose transpose_b, const size_t m, const size_t n,
                               const size_t k, const float alpha, const cl_mem a, const size_t offset_a,
                               const size_t lda, const cl_mem b, const size_t offset_b, const size_t ldb,
                               const float beta, cl_mem c, const size_t offset_c, const size_t ldc,
                               cl_command_queue* queue, cl_event* event) {
  return to_c(clblast::Gemm(to_cxx(layout), to_cxx(transpose_a), to_cxx(transpose_b), m, n, k, alpha, a,
                            offset_a, lda, b, offset_b, ldb, beta, c, offset_c, ldc, queue, event));
}

CLBlastStatusCode CLBlastSgemmWithTempBuffer(
    const CLBlastLayout layout, const CLBlastTranspose transpose_a, const CLBlastTranspose transpose_b,
    const size_t m, const size_t n, const size_t k, const float alpha, const cl_mem a, const size_t offset_a,
    const size_t lda, const cl_mem b, const size_t offset_b, const size_t ldb, const float beta, cl_mem c,
    const size_t offset_c, const size_t ldc, cl_command_queue* queue, cl_event* event, cl_mem temporary) {
  return to_c(clblast::Gemm(to_cxx(layout), to_cxx(transpose_a), to_cxx(transpose_b), m, n, k, alpha, a,
                            offset_a, lda, b, offset_b, ldb, beta, c, offset_c, ldc, queue, event,
                            temporary));
}

CLBlastStatusCode CLBlastSgemmBatched(const CLBlastLayout layout, const CLBlastTranspose transpose_a,
                                      const CLBlastTranspose transpose_b, const size_t m, const size_t n,
                                      const size_t k, const float* alphas, const cl_mem a,
                                      const size_t* offsets_a, const size_t lda, const cl_mem b,
                                      const size_t* offsets_b, const size_t ldb, const float* betas, cl_mem c,
                                      const size_t* offsets_c, const size_t ldc, const size_t batch_count,
                                      cl_command_queue* queue, cl_event* event) {
  return to_c(clblast::GemmBatched(to_cxx(layout), to_cxx(transpose_a), to_cxx(transpose_b), m, n, k, alphas,
                                   a, offsets_a, lda, b, offsets_b, ldb, betas, c, offsets_c, ldc,
                                   batch_count, queue, event));
}

CLBlastStatusCode CLBlastSgemmStridedBatched(
    const CLBlastLayout layout, const CLBlastTranspose transpose_a, const CLBlastTranspose transpose_b,
    const size_t m, const size_t n, const size_t k, const float alpha, const cl_mem a, const size_t offset_a,
    const size_t lda, const size_t stride_a, const cl_mem b, const size_t offset_b, const size_t ldb,
    const size_t stride_b, const float beta, cl_mem c, const size_t offset_c, const size_t ldc,
    const size_t stride_c, const size_t batch_count, cl_command_queue* queue, cl_event* event) {
  return to_c(clblast::GemmStridedBatched(to_cxx(layout), to_cxx(transpose_a), to_cxx(transpose_b), m, n, k,
                                          alpha, a, offset_a, lda, stride_a, b, offset_b, ldb, stride_b, beta,
                                          c, offset_c, ldc, stride_c, batch_count, queue, event));
}

CLBlastStatusCode CLBlastSGemmTempBufferSize(const CLBlastLayout layout, const CLBlastTranspose transpose_a,
                                             const CLBlastTranspose transpose_b, const size_t m,
                                             const size_t n, const size_t k, const size_t offset_a,
                                             const size_t lda, const size_t offset_b, const size_t ldb,
                                             const size_t offset_c, const size_t ldc, cl_command_queue* queue,
                                             size_t* bytes) {
  return to_c(clblast::GemmTempBufferSize<float>(to_cxx(layout), to_cxx(transpose_a), to_cxx(transpose_b), m,
                                                 n, k, offset_a, lda, offset_b, ldb, offset_c, ldc, queue,
                                                 *bytes));
}

CLBlastStatusCode CLBlastClearCache() {
  return to_c(clblast::ClearCache());
}

CLBlastStatusCode CLBlastFillCache(const cl_device_id device) {
  return to_c(clblast::FillCache(device));
}

CLBlastStatusCode CLBlastOverrideParameters(const cl_device_id device, const char* kernel_name,
                                            const CLBlastPrecision precision, const size_t count,
                                            const char** names, const size_t* values) {
  try {
    std::unordered_map<std::string, size_t> parameters;
    for (size_t i = 0; i < count; ++i) parameters[names[i]] = values[i];
    return to_c(clblast::OverrideParameters(device, kernel_name, static_cast<clblast::Precision>(precision),
                                            parameters));
  } catch (...) {
    return to_c(clgemm::clblast_names::status_of_current_exception());
  }
}
