// clgemm: naive
// summary: one work-item per element of C, neighbours along rows (not coalesced): the ladder's first step
// operands: in_place
// param: ROWS = 16 in 1 4 8 16 32 64 128 256
// param: COLUMNS = 16 in 1 4 8 16 32
// variant: naive_single ROWS=1 COLUMNS=1
// variant: naive_strip ROWS=64 COLUMNS=1
// tile: ROWS COLUMNS 1
// local: ROWS COLUMNS
// grid: rows columns

// Dimension 0 goes down the rows here. A device runs neighbours along dimension 0 together. In row-major
// memory these neighbours read A and write C a whole leading dimension apart. `coalesced` is the same kernel
// with the dimensions exchanged, so the difference between the two is the cost of this order.
#if !defined(ROWS) || !defined(COLUMNS)
#error "naive needs ROWS and COLUMNS"
#endif
#include "common/in_place.cl"
#include "common/store.cl"

// These are the arguments of a GEMM kernel. Most others take the numbers as one struct (common/arguments.cl).
__kernel __attribute__((reqd_work_group_size(ROWS, COLUMNS, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta,
          __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride;
  const int row = get_global_id(0);
  const int column = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    sum = MULTIPLY_ADD(element_of_a(a, lda, row, depth), element_of_b(b, ldb, depth, column), sum);
  }
  store_c(c, ldc, m, n, row, column, alpha, sum, beta);
}
