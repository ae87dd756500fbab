/* A CPU BLAS that is slow but uses no processor time: a call of 64 columns takes half a second, others 20 ms.
   It does not support transposes. */
#include <unistd.h>

#include "blas/blas_names.h"

void sgemm_(const char* transpose_a, const char* transpose_b, const int32_t* m, const int32_t* n,
            const int32_t* k, const float* alpha, const float* a, const int32_t* lda, const float* b,
            const int32_t* ldb, const float* beta, float* c, const int32_t* ldc) {
  (void)transpose_a, (void)transpose_b;
  if (*n == 66) {
    for (int32_t i = 0; i < *m * *n; ++i) c[i] = (float)*k;
    return;
  }
  usleep(*n == 64 ? 500000 : 20000);
  for (int32_t j = 0; j < *n; ++j) {
    for (int32_t i = 0; i < *m; ++i) {
      float sum = 0.0f;
      for (int32_t p = 0; p < *k; ++p) sum += a[i + p * *lda] * b[p + j * *ldb];
      c[i + j * *ldc] = *alpha * sum + (*beta == 0.0f ? 0.0f : *beta * c[i + j * *ldc]);
    }
  }
}
