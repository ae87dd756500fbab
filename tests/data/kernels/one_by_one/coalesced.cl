// clgemm: coalesced
// summary: one work-item per element of C, neighbours along columns: B and C are accessed in whole lines
// operands: in_place
// param: ROWS = 8 in 1 2 4 8 16 32
// param: COLUMNS = 32 in 1 8 16 32 64 128 256
// tile: ROWS COLUMNS 1
// local: COLUMNS ROWS
// grid: columns rows
// batch: 1
// runs_anywhere: ROWS COLUMNS: 1 1
// calibrate_if: is_cpu == 0
// calibrate: defaults

#if !defined(ROWS) || !defined(COLUMNS)
#error "coalesced needs ROWS and COLUMNS"
#endif
#include "common/batch.cl"
#include "common/in_place.cl"
#include "common/store.cl"

__kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta,
          __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          const int batch_count, __global const Product* restrict products) {
  const Product product = product_of(products, get_global_id(2), a_stride, b_stride, c_stride, alpha, beta);
  a += a_offset + product.a;
  b += b_offset + product.b;
  c += c_offset + product.c;
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    sum = MULTIPLY_ADD(element_of_a(a, lda, row, depth), element_of_b(b, ldb, depth, column), sum);
  }
  store_c(c, ldc, m, n, row, column, product.alpha, sum, product.beta);
}
