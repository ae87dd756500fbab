// clgemm: row_groups
// summary: one work-group per row of C, its work-items share the columns
// operands: in_place
// param: ITEMS = 64 in 16 32 64 128 256
// tile: 1 ITEMS 1
// local: ITEMS
// grid: rows

// Step 1 of the TVM GEMM tutorial, "simple GPU binding": the row is bound to the work-group and the column to
// the work-item. If a row is longer than the work-group, its work-items walk it in strides, so any n fits any
// device.
#if !defined(ITEMS)
#error "row_groups needs ITEMS"
#endif
#include "common/arguments.cl"
#include "common/in_place.cl"
#include "common/store.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride;
  const int row = get_group_id(0);
  for (int column = get_local_id(0); column < n; column += ITEMS) {
    float sum = 0.0f;
    for (int depth = 0; depth < k; ++depth) {
      sum = MULTIPLY_ADD(element_of_a(a, lda, row, depth), element_of_b(b, ldb, depth, column), sum);
    }
    store_c(c, ldc, m, n, row, column, alpha, sum, beta);
  }
}
