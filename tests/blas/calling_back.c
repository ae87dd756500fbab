/* A BLAS whose SGEMM calls the first SGEMM of the process, which is the drop-in's. Before that, it reads A
   and B for any alpha and k, as OpenBLAS 0.3.21 does on some processors. */
#include "blas/blas_names.h"

void sgemm_(const char* transpose_a, const char* transpose_b, const int32_t* m, const int32_t* n,
            const int32_t* k, const float* alpha, const float* a, const int32_t* lda, const float* b,
            const int32_t* ldb, const float* beta, float* c, const int32_t* ldc) {
  enum { column_major = 102, no = 111, yes = 112 };
  (void)*(const volatile float*)a;
  (void)*(const volatile float*)b;
  cblas_sgemm(column_major, *transpose_a == 'N' ? no : yes, *transpose_b == 'N' ? no : yes, *m, *n, *k,
              *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}
