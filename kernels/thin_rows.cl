// clgemm: thin_rows
// summary: few rows: B is read once, in place, at the speed of memory; the work-group shares k
// operands: in_place
// most_rows: 16
// param: THIN = 16 in 4 8 16
// param: LINES = 32 in 16 32 64
// param: UNROLL = 4 in 1 2 4 8
// param: ITEMS = 256 in 64 128 256 512
// tile: THIN LINES 4*ITEMS/LINES*UNROLL
// local: ITEMS 1
// grid: columns rows
// require: ITEMS % (4*LINES) == 0
// require: 4*2*(4*ITEMS/LINES*UNROLL)*(THIN+4) <= local_bytes
// require: 4*(4*(4*ITEMS/LINES)*(LINES+4)+ITEMS) <= local_bytes
// results: 4*THIN + UNROLL
// into_local: THIN
// registers: 128 * (THIN == 8 && ITEMS == 256 && LINES >= 32 && UNROLL <= 4)
// calibrate_if: is_cpu == 0
// calibrate: THIN ITEMS: 4 512, 4 256, 8 256, 16 256

// For m up to 16. The technique is in common/thin.cl. A is the thin operand, and B the wide one.
//
// `registers`: with 128, two work-groups run at a time instead of one. Five batches take 0.61 to 0.66 of the
// time, and 8 x 5000 x 1000 takes 1.02 (H200, November 2026).
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "operands: in_place needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#define THIN_TOGETHER TRANSPOSE_A
#define LOADS_STAY
#include "common/arguments.cl"
#include "common/thin.cl"

// With LOADS_STAY no pointer is `restrict`, so compilers leave the loads before their barrier.
__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 memory[THIN_MEMORY / 4];
  const int first_row = get_group_id(1) * THIN;
  const int first_column = get_group_id(0) * LINES;
  const size_t batch = get_global_id(2);
  const Lines thin = lines_from(a + a_offset + batch * a_stride, lda, TRANSPOSE_A, first_row, m, k);
  const Lines wide = lines_from(b + b_offset + batch * b_stride, ldb, !TRANSPOSE_B, first_column, n, k);
  c += c_offset + batch * c_stride;
  multiply_and_store(memory, thin, wide, k, c, ldc, m, n, (int2)(first_row, first_column), true, alpha, beta);
}
