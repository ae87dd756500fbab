// clgemm: fallback_fp32
// role: fallback
// summary: multiplies in plain fp32 where bf16 planes would not be exact, and does nothing where they are
// param: BM = 64 in 16 64
// param: BN = 128 in 32 128
// param: TM = 8 in 4 8
// param: TN = 8 in 4 8
// param: DEPTH = 8 in 4 8
// param: SLICES = 1 in 1 2
// param: COPIES = 2 in 1 2
// tile: BM BN DEPTH*SLICES
// local: BM/TM*(BN/TN)*SLICES
// grid: tiles
// require: 4*COPIES*DEPTH*SLICES*(BM+BN+8) <= local_bytes

// Runs behind a kernel on bf16 planes, in few work-groups, each with every so many tiles of C: so it costs little more
// than a launch where there is nothing to do. The technique is in common/slices.cl.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "role: fallback needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#define WIDTH 1  // floats that are read at once: operands lie anywhere
#include "common/notes.cl"
#include "common/slices.cl"
#include "common/tile_order.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void fallback(const int m, const int n, const int k, const float alpha,
               __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,
               __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,
               const float beta, __global float* c, const ulong c_offset, const ulong ldc,
               const ulong c_stride, __global uint* notes, const ulong notes_offset, const int a_notes,
               const int b_notes) {
  __local float4 memory[SLICES_MEMORY / 4];
  if (*is_exact_of(notes, notes_offset, a_notes, a_stride, b_notes, b_stride)) return;
  const int tile_rows = (m + BM - 1) / BM;
  const int tile_columns = (n + BN - 1) / BN;
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride;
  for (int tile = get_group_id(0); tile < tile_rows * tile_columns; tile += get_num_groups(0)) {
    const int2 position = position_of_tile(tile, tile_rows, tile_columns, 8);
    const int first_row = position.x * BM;
    const int first_column = position.y * BN;
    multiply_slices(memory, lines_from(a, lda, TRANSPOSE_A, first_row, m, k),
                    lines_from(b, ldb, !TRANSPOSE_B, first_column, n, k), m, n, k, alpha, beta, c, ldc, first_row,
                    first_column);
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next tile takes the memory
  }
}
