// The atom of tf32x3_dpas.cl: DPAS, the matrix instruction of Intel's GPUs, for 8 rows x 16 columns of C and
// 8 of k. Numbers are two TF32 parts (common/tf32.cl). The layouts are in Khronos' text of
// cl_intel_subgroup_matrix_multiply_accumulate_tf32.
//
// Each work-item of a sub-group of 16 gives all 8 of k of a column, and has the 8 results of this column. Two
// rows of A come from all work-items, in order: the first 8 have the 8 of k of one row, the others those of
// the next row.
//
// It is not known whether DPAS takes denormal numbers for zero. If it does, each addition may lose 2^-126,
// which is 2^-28 of the least product (docs/accuracy.md).
#define LEAST_PRODUCT 0x1p-98f
#include "common/tensor_store.cl"
#include "common/tf32_tile.cl"

#define BLOCK_M 8
#define BLOCK_N 16
#define B_BLOCKS 1
typedef float8 Results;

INLINED void clear_results(Results* results) {
  *results = (float8)(0.0f);
}

INLINED void add_results(Results* results, const Results* more) {
  *results += *more;
}

INLINED void keep_zero(Results* zeros, const Results* results) {
  *zeros += 0.0f * *results;
}

INLINED bool is_zero(const Results* zeros) {
  const float4 both = zeros->lo + zeros->hi;
  return both.x + both.y + both.z + both.w == 0.0f;
}

// One operand of a warp in a stage. All but the address and the shifts is known to the compiler.
typedef struct {
  const __local float* place;
  int shift, shift_step;  // of row 0, and from one row to the next, both in floats and modulo 4
  int stride;             // floats from one row of the stage to the next
  bool along_k;           // a row of the stage is one line; otherwise it is one depth of all lines
  bool aligned;           // no row has a shift
} WarpLines;

INLINED WarpLines warp_lines(const __local float* stage, const int first, const Source source,
                             const bool along_k, const bool aligned, const int stride) {
  const WarpLines lines = {stage + (along_k ? first * stride : first), shift_of(source, 0),
                           (int)(source.ld % 4), stride, along_k, aligned};
  return lines;
}

INLINED uint bits_at(const WarpLines* lines, const int line, const int depth) {
  const int row = lines->along_k ? line : depth;
  const int shift = lines->aligned ? 0 : (lines->shift + row * lines->shift_step) % 4;
  return as_uint(lines->place[row * lines->stride + (lines->along_k ? depth : line) + shift]);
}

// A work-item's part of 8 rows.
typedef struct {
  float4 high, low;
} RowsFragment;

// A work-item's part of 16 columns: one of them.
typedef struct {
  float8 high, low;
} ColumnsFragment;

INLINED void load_rows(RowsFragment* rows, uint* least, const WarpLines* lines, const int line,
                       const int depth) {
  const int lane = get_local_id(0) % WARP;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint bits = bits_at(lines, line + 2 * i + lane / 8, depth + lane % 8);
    *least = least_with(*least, bits);
    rows->high[i] = as_float(high_part(bits));
    rows->low[i] = as_float(low_part(bits, high_part(bits)));
  }
}

INLINED void load_columns(ColumnsFragment* columns, uint* least, const WarpLines* lines, const int line,
                          const int depth) {
  const int lane = get_local_id(0) % WARP;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint bits = bits_at(lines, line + lane, depth + i);
    *least = least_with(*least, bits);
    columns->high[i] = as_float(high_part(bits));
    columns->low[i] = as_float(low_part(bits, high_part(bits)));
  }
}

// sums += one of the three products of 8 rows and 16 columns.
INLINED void multiply_block(Results* sums, const RowsFragment* a, const ColumnsFragment* b, const int block,
                            const int product) {
  *sums = intel_sub_group_tf32_tf32_matrix_mad_k8(product == LOW_HIGH ? a->low : a->high,
                                                  product == HIGH_LOW ? b->low : b->high, *sums);
}

// Puts a warp's sums into the tile in local memory.
INLINED void put_warp(__local float* tile, const Results sums[WARP_M / BLOCK_M][WARP_N / BLOCK_N],
                      const int warp_row, const int warp_column) {
  __local float* place = tile + warp_row * C_STRIDE + warp_column + get_local_id(0) % WARP;
#pragma unroll
  for (int i = 0; i < WARP_M * (WARP_N / BLOCK_N); ++i) {
    const int row = i / (WARP_N / BLOCK_N);
    const int column = i % (WARP_N / BLOCK_N);
    place[row * C_STRIDE + column * BLOCK_N] = sums[row / BLOCK_M][column][row % BLOCK_M];
  }
}
