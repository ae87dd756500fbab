// Tiles of C whose numbers go to the tensor cores as two TF32 parts (common/tf32_parts.cl), or that are
// computed in plain fp32 (common/slices.cl) if TF32 cannot hold the numbers.
//
// The including file defines ROWS and COLUMNS, the size of a tile, MULTIPLIERS, the work-items that have its
// sums, TM and TN, the results that each of them has if the tile is computed again, C_STRIDE, and BAND.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "common/tf32.cl needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#if !defined(ROWS) || !defined(COLUMNS) || !defined(MULTIPLIERS) || !defined(TM) || !defined(TN) || \
    !defined(C_STRIDE) || !defined(BAND)
#error "common/tf32.cl needs ROWS, COLUMNS, MULTIPLIERS, TM, TN, C_STRIDE and BAND"
#endif

// Plain fp32: the multipliers compute the same tile.
#define BM ROWS
#define BN COLUMNS
#define DEPTH 8
#define COPIES 2
#define UNROLLED_DEPTHS 1
#define A_WIDTH 1  // floats that are read at once, because operands may lie anywhere
#define B_WIDTH 1
#include "common/multiply.cl"
#include "common/parts.cl"
#include "common/slices.cl"
#include "common/tensor_store.cl"
#include "common/tf32_parts.cl"
#include "common/tile_order.cl"

// What a tile's work-items notice: the least nonzero magnitudes of each operand, doubled and minus one, and
// whether a result is not a number.
typedef struct {
  uint least_x, least_y, is_strange;
} Noticed;

// Returns true if the tensor cores lost nothing that matters.
static inline bool is_exact(const __local Noticed* noticed) {
  return !noticed->is_strange && are_large_enough(noticed->least_x, noticed->least_y);
}

// Computes a tile in plain fp32. Its sums are then in local memory, in rows of C_STRIDE floats.
static inline void multiply_again(const Multiply* call, __local float4* memory, const int first_row,
                                  const int first_column) {
  float4 plain[TM][TN / 4];
  multiply_slices(plain, memory, lines_from(call->a, call->lda, TRANSPOSE_A, first_row, call->m, call->k),
                  lines_from(call->b, call->ldb, !TRANSPOSE_B, first_column, call->n, call->k));
  const int item = get_local_id(0) % SLICE_ITEMS;
  __local float4* place = memory + row_of(item) * C_STRIDE + column_of(item);
  for (int slice = 0; slice < SLICES; ++slice) {
    SLICES_BARRIER;
    if (get_local_id(0) / SLICE_ITEMS != slice) continue;
#pragma unroll
    for (int i = 0; i < TM * (TN / 4); ++i) {
      const int row = i / (TN / 4);
      __local float4* to =
          place + (row / 4 * DOWN * 4 + row % 4) * (C_STRIDE / 4) + i % (TN / 4) * ACROSS;
      *to = slice == 0 ? plain[row][i % (TN / 4)] : *to + plain[row][i % (TN / 4)];
    }
  }
  SLICES_BARRIER;
}

static inline int2 tile_of(const Multiply* call) {
  const int2 tile = tile_position((call->m + ROWS - 1) / ROWS, (call->n + COLUMNS - 1) / COLUMNS, BAND);
  return (int2)(tile.x * ROWS, tile.y * COLUMNS);
}
