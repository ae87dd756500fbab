// The way into C: C[row][column] <- alpha * sum + beta * C[row][column], and nothing outside m x n; tiles in local memory go by store_tile.cl.
// beta == 0 does not read C, so that what lies there (NaN, say) cannot show. Whether C is `restrict` is the kernel's word.
#include "common/arithmetic.cl"

static inline void store_c(__global float* c, const ulong ldc, const int m, const int n, const int row,
                           const int column, const float alpha, const float sum, const float beta) {
  if (row < m && column < n) {
    __global float* element = c + row * ldc + column;
    *element = beta == 0.0f ? alpha * sum : MULTIPLY_ADD(beta, *element, alpha * sum);
  }
}

// Four neighbours of a row at once, wherever they lie; as store_c() where they reach over the edge.
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

// Four neighbours of a row that lie on 16 bytes and within C, in one piece.
static inline void store_four(__global float4* four, const float alpha, const float4 sums, const float beta) {
  const float4 scaled = alpha * sums;
  *four = beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), *four, scaled);
}

// As store4_c_anywhere(), in one piece where they lie on 16 bytes: as four pieces a batch of 64 x 64 x 64 takes 12 % longer on an H200, one of
// 512 x 512 x 512 1 %. Work-items with many results, which the questions would cost registers, ask once for all (block_2d.cl).
static inline void store4_c(__global float* c, const ulong ldc, const int m, const int n, const int row,
                            const int column, const float alpha, const float4 sums, const float beta) {
  __global float4* four = (__global float4*)(c + row * ldc + column);
  if (row < m && column + 3 < n && (size_t)four % 16 == 0) {
    store_four(four, alpha, sums, beta);
  } else {
    store4_c_anywhere(c, ldc, m, n, row, column, alpha, sums, beta);
  }
}
