// Numbers as two TF32 parts, for kernels that make three products of them ("3xTF32" of CUTLASS; Ootomo and
// Yokota 2022). A number x is h + l. Both are TF32 (8 bits of exponent, 11 of mantissa). h is x rounded, and
// l is the rest; the tensor core drops what exceeds its 11 bits. Then a b is l h' + h l' + h h', except for
// 2^-22 of it.
//
// TF32 has the exponents of fp32. The kernels notice numbers that TF32 cannot hold. Inf, NaN and what rounds
// to Inf give a result that is not a number. All work-items look for numbers so small that their low part is
// lost. If something is noticed, the tile is computed again in plain fp32 (common/slices.cl).
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
#include "common/parts.cl"
#include "common/slices.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"

// The GEMM, as all work-groups of a launch see it, or one slice of it along k.
typedef struct {
  int m, n, k;
  float alpha, beta;
  __global const float* a;
  __global const float* b;
  __global float* c;
  ulong lda, ldb, ldc;
} Multiply;

// What a tile's work-items notice: the least nonzero magnitudes of each operand, doubled and minus one, and
// whether a result is not a number.
typedef struct {
  uint least_x, least_y, is_strange;
} Noticed;

// Ignores the sign. Zeros count as the largest of all.
static inline uint least_with(const uint least, const uint bits) {
  return min(least, 2 * bits - 1);
}

static inline uint high_part(const uint bits) {
  return (bits + 0x1000u) & 0xffffe000u;
}

static inline uint low_part(const uint bits, const uint high) {
  return as_uint(as_float(bits) - as_float(high));
}

// The least product of a tile that may go to the matrix units.
#if !defined(LEAST_PRODUCT)
#define LEAST_PRODUCT 0x1p-110f
#endif

// Returns true if the tensor cores lost nothing that matters. The low part of a number is at most 2^-12 of
// it. If the number is at least 2^-104, its low part is off by at most 2^-136. Products of at least 2^-110
// are off by at most 2^-149, because the tensor core ends there. Each error is at most 2^-22 of the number or
// product.
static inline bool is_exact(const __local Noticed* noticed) {
  if (noticed->is_strange) return false;
  if (noticed->least_x == UINT_MAX || noticed->least_y == UINT_MAX) return true;
  const float x = as_float((noticed->least_x + 1) / 2);
  const float y = as_float((noticed->least_y + 1) / 2);
  return x >= 0x1p-104f && y >= 0x1p-104f && x * y >= LEAST_PRODUCT;
}

// Returns `zero` if the value is a number, otherwise NaN. This takes one instruction if the compiler makes an
// FMA of it. No program is built with options that let it assume finite numbers.
static inline float still_zero(const float zero, const float value) {
  return zero + 0.0f * value;
}

static inline Target target_of(const Multiply* call, const int first_row, const int first_column) {
  const Target target = {call->c + first_row * call->ldc + first_column, call->ldc, call->m - first_row,
                         call->n - first_column, call->alpha, call->beta};
  return target;
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
