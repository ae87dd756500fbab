// Stores results: C[row][column] <- alpha * sum + beta * C[row][column], and nothing outside m x n.
// store_tile.cl stores tiles from local memory. If beta is 0, C is not read, so old contents such as NaN have
// no effect. Each kernel decides whether its C is `restrict`.
#include "common/arithmetic.cl"

static inline void store_c(__global float* c, const ulong ldc, const int m, const int n, const int row,
                           const int column, const float alpha, const float sum, const float beta) {
  if (row < m && column < n) {
    __global float* element = c + row * ldc + column;
    *element = beta == 0.0f ? alpha * sum : MULTIPLY_ADD(beta, *element, alpha * sum);
  }
}

// Stores four neighbours of a row at once, at any address. At the edge it works like store_c().
static inline void store4_c_anywhere(__global float* c, const ulong ldc, const int m, const int n,
                                     const int row, const int column, const float alpha, const float4 sums,
                                     const float beta) {
  if (row < m && column + 3 < n) {
    __global float* elements = c + row * ldc + column;
    const float4 scaled = alpha * sums;
    vstore4(beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), vload4(0, elements), scaled), 0, elements);
  } else {
    store_c(c, ldc, m, n, row, column, alpha, sums.x, beta);
    store_c(c, ldc, m, n, row, column + 1, alpha, sums.y, beta);
    store_c(c, ldc, m, n, row, column + 2, alpha, sums.z, beta);
    store_c(c, ldc, m, n, row, column + 3, alpha, sums.w, beta);
  }
}

// Works like store4_c_anywhere(), but stores one piece if the four lie at a multiple of 16 bytes. As four
// pieces, a batch of 64 x 64 x 64 takes 12 % longer, and one of 512 x 512 x 512 takes 1 % longer (H200,
// November 2026). The checks cost registers, so work-items with many results check once for all of them
// (block_2d.cl).
static inline void store4_c(__global float* c, const ulong ldc, const int m, const int n, const int row,
                            const int column, const float alpha, const float4 sums, const float beta) {
  __global float4* four = (__global float4*)(c + row * ldc + column);
  if (row < m && column + 3 < n && (size_t)four % 16 == 0) {
    const float4 scaled = alpha * sums;
    *four = beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), *four, scaled);
  } else {
    store4_c_anywhere(c, ldc, m, n, row, column, alpha, sums, beta);
  }
}
