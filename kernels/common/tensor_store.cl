// From the registers in which tensor cores leave results to C: each work-item has pairs of neighbours in a row.
#include "common/store.cl"

static inline void store2_c(__global float* restrict c, const ulong ldc, const int m, const int n, const int row,
                            const int column, const float alpha, const float2 sums, const float beta) {
  __global float* elements = c + row * ldc + column;
  if (row < m && column + 1 < n && (size_t)elements % 8 == 0) {
    const float2 scaled = alpha * sums;
    __global float2* pair = (__global float2*)elements;
    *pair = beta == 0.0f ? scaled : MULTIPLY_ADD((float2)(beta), *pair, scaled);
  } else {
    store_c(c, ldc, m, n, row, column, alpha, sums.x, beta);
    store_c(c, ldc, m, n, row, column + 1, alpha, sums.y, beta);
  }
}

// Whether pairs can be stored without asking for each: of a tile `rows` x `columns` all is inside, and pairs are aligned.
static inline bool is_whole_tile(const __global float* c, const ulong ldc, const int rows_left, const int columns_left,
                                 const int rows, const int columns) {
  return rows <= rows_left && columns <= columns_left && ldc % 2 == 0 && (size_t)c % 8 == 0;
}
