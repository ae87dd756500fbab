/* The functions of the drop-in that the tests call, as the BLAS declares them. */
#ifndef CLGEMM_TESTS_BLAS_NAMES_H
#define CLGEMM_TESTS_BLAS_NAMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void sgemm_(const char* transpose_a, const char* transpose_b, const int32_t* m, const int32_t* n,
            const int32_t* k, const float* alpha, const float* a, const int32_t* lda, const float* b,
            const int32_t* ldb, const float* beta, float* c, const int32_t* ldc);
void sgemm_64_(const char* transpose_a, const char* transpose_b, const int64_t* m, const int64_t* n,
               const int64_t* k, const float* alpha, const float* a, const int64_t* lda, const float* b,
               const int64_t* ldb, const float* beta, float* c, const int64_t* ldc);
void cblas_sgemm(int layout, int transpose_a, int transpose_b, int32_t m, int32_t n, int32_t k, float alpha,
                 const float* a, int32_t lda, const float* b, int32_t ldb, float beta, float* c, int32_t ldc);
void cblas_sgemm64_(int layout, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k,
                    float alpha, const float* a, int64_t lda, const float* b, int64_t ldb, float beta,
                    float* c, int64_t ldc);
void cblas_sgemm_batch_strided(int layout, int transpose_a, int transpose_b, int32_t m, int32_t n, int32_t k,
                               float alpha, const float* a, int32_t lda, int32_t stride_a, const float* b,
                               int32_t ldb, int32_t stride_b, float beta, float* c, int32_t ldc,
                               int32_t stride_c, int32_t batch_count);
void cblas_sgemm_batch(int layout, const int* transpose_a, const int* transpose_b, const int32_t* m,
                       const int32_t* n, const int32_t* k, const float* alpha, const float* const* a,
                       const int32_t* lda, const float* const* b, const int32_t* ldb, const float* beta,
                       float* const* c, const int32_t* ldc, int32_t group_count, const int32_t* group_size);

#ifdef __cplusplus
}
#endif

#endif
