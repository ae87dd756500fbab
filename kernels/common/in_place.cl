// Elements of op(A) and op(B) at the caller's addresses, for kernels with `operands: in_place`. The kernel
// must stay inside op(A), which is m x k, and op(B), which is k x n.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "operands: in_place needs TRANSPOSE_A and TRANSPOSE_B"
#endif

static inline float element_of_a(__global const float* restrict a, const ulong lda, const int row,
                                 const int depth) {
  return TRANSPOSE_A ? a[depth * lda + row] : a[row * lda + depth];
}

static inline float element_of_b(__global const float* restrict b, const ulong ldb, const int depth,
                                 const int column) {
  return TRANSPOSE_B ? b[column * ldb + depth] : b[depth * ldb + column];
}
