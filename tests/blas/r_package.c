/* Calls SGEMM like an R package in single precision: by its name, from the BLAS of R. */
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);

__attribute__((visibility("default"))) void product(const int* m, const int* n, const int* k, const float* a,
                                                    const float* b, float* c);
void product(const int* m, const int* n, const int* k, const float* a, const float* b, float* c) {
  const float one = 1.0f;
  const float zero = 0.0f;
  sgemm_("N", "N", m, n, k, &one, a, m, b, k, &zero, c, m);
}
