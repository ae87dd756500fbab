// clgemm: fallback_fp32
// role: fallback
// summary: plain fp32 if planes would not be exact, nothing otherwise
// param: BM = 64 in 16 64
// param: BN = 128 in 32 128
// param: TM = 8 in 4 8
// param: TN = 8 in 4 8
// param: SLICES = 1 in 1 2
// param: COPIES = 2 in 1 2
// tile: BM BN 8*SLICES
// local: BM/TM*(BN/TN)*SLICES
// grid: tiles
// require: 32*COPIES*SLICES*(BM+BN+8) <= local_bytes
// require: 16*SLICES*(BM/TM)*(BN+4) <= local_bytes

// Runs after kernels on planes. It costs little more than a launch if there is nothing to do. The technique
// is in common/slices.cl.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "role: fallback needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#define DEPTH 8
#define A_WIDTH 1  // floats that are read at once, because operands may lie anywhere
#define B_WIDTH 1
#define LOADS_STAY
#include "common/arguments.cl"
#include "common/notes.cl"
#include "common/slices.cl"
#include "common/sub_group.cl"
#include "common/tile_order.cl"

__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void fallback(FALLBACK_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 memory[SLICES_MEMORY / 4];
  if (is_done(notes, before)) return;
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, 8);
  const int first_row = tile.x * BM;
  const int first_column = tile.y * BN;
  const size_t batch = get_global_id(2);
  float4 sums[TM][TN / 4];
  multiply_slices(sums, memory,
                  lines_from(a + a_offset + batch * a_stride, lda, TRANSPOSE_A, first_row, m, k),
                  lines_from(b + b_offset + batch * b_stride, ldb, !TRANSPOSE_B, first_column, n, k));
  store_slices(sums, memory, c + c_offset + batch * c_stride, ldc, m, n, first_row, first_column, alpha,
               beta);
}
