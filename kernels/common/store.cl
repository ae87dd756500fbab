// The one way into C: C[row][column] <- alpha * sum + beta * C[row][column], and nothing outside m x n.
// beta == 0 does not read C, so that what lies there (NaN, say) cannot show.
#include "common/arithmetic.cl"

static inline void store_c(__global float* restrict c, const ulong ldc, const int m, const int n, const int row,
                           const int column, const float alpha, const float sum, const float beta) {
  if (row < m && column < n) {
    __global float* element = c + row * ldc + column;
    *element = beta == 0.0f ? alpha * sum : MULTIPLY_ADD(beta, *element, alpha * sum);
  }
}
