// clgemm: from_one_packed
// summary: GEMM that reads one operand in place and fp16 planes of the other, to test both on any device
// operands: fp16_planes
// unpacked: 1+SWAP
// fallback: fallback_fp32
// precision: fp32_equivalent
// param: SWAP = 0 in 0 1
// param: MARK = 0 in 0 1
// param: TINY = 0 in 0 1
// adds_parts: 1
// tile: 32*(1-SWAP)+64*SWAP 64*(1-SWAP)+32*SWAP 32
// local: 64
// grid: tiles

// X is the operand in place: A, or B with SWAP. Y is the packed one. With MARK, every element of C becomes 42
// for each slice along k, which shows that this kernel computed it. With TINY, it also takes Y if numbers are
// too small for planes, and takes any planes with an error of at most 2^-24.
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/half.cl"
#include "common/parts.cl"
#include "common/tile_order.cl"

#define ROWS (SWAP ? 64 : 32)
#define COLUMNS (SWAP ? 32 : 64)
#define STEP 32

#if SWAP
#if defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "only B is in place"
#endif
#define X_ALONG_K TRANSPOSE_B
#else
#if defined(TRANSPOSE_B) || !defined(TRANSPOSE_A)
#error "only A is in place"
#endif
#define X_ALONG_K (!TRANSPOSE_A)
#endif

static inline float element_of_y(__global const char* strip, const int line, const int depth) {
  __global const char* place = strip + HEADER_BYTES + depth / BLOCK_DEPTH * BLOCK_BYTES +
                               line / 8 * GROUP_BYTES + depth % BLOCK_DEPTH / 8 * CORE_BYTES +
                               line % 8 * 16 + depth % 8 * 2;
  const float high = from_half_bits(*(__global const ushort*)place).x;
  const float low = from_half_bits(*(__global const ushort*)(place + PLANE_BYTES)).x;
  const float2 both = (float2)(MULTIPLY_ADD(low, LOW_SCALE, high));
  return scaled_back(both, (int2)(exponent_of_line(strip, 0, line) * EXPONENT_UNIT)).x;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta,
          __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          const int part_depth, __global float* parts_memory, const ulong parts_offset, const ulong parts_ld,
          const ulong parts_stride, __global uint* arrivals,
          __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes,
          const ulong before,
          __global const float* packed, const ulong packed_offset, const ulong packed_stride,
          const int packed_along_k) {
  __local uint word;
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const size_t batch = is_part ? 0 : get_global_id(2);
  // The notes are those of Y alone.
  const int groups = SWAP ? a_notes : b_notes;
  __global const uint2* y_notes = (__global const uint2*)(notes + notes_offset);
  __global uint* const done =
      (__global uint*)(y_notes + groups * (packed_stride == 0 || is_part ? 1 : get_global_size(2))) + batch;
  const bool tells = get_global_id(0) == 0 && first_k == 0;
  if (before != NO_KERNEL_BEFORE && notes[before + batch] != 0) {
    if (tells) *done = 1;
    return;
  }
  uint2 of_y = (uint2)(0, 0);
  for (int group = 0; group < groups; ++group)
    of_y = max(of_y, y_notes[(packed_stride == 0 ? 0 : batch * groups) + group]);
  const bool is_exact = as_float(of_y.x) < INFINITY && (TINY || !is_too_small(of_y.y, k));
  if (tells) *done = is_exact;
  if (!is_exact) return;

  const int2 tile = tile_position((m + ROWS - 1) / ROWS, (n + COLUMNS - 1) / COLUMNS, 8);
  const int2 first = tile * (int2)(ROWS, COLUMNS);
  __global const char* strip =
      (__global const char*)(packed + packed_offset + batch * packed_stride) +
      (SWAP ? tile.x : tile.y) * strip_bytes((k + STEP - 1) / STEP * STEP);
  __global const float* x = SWAP ? b + b_offset + batch * b_stride : a + a_offset + batch * a_stride;
  __global const float* y = SWAP ? a + a_offset + batch * a_stride : b + b_offset + batch * b_stride;
  const ulong ld = SWAP ? ldb : lda;
  const ulong y_ld = SWAP ? lda : ldb;
  __global float* to = c + c_offset + batch * c_stride;
  for (int place = get_local_id(0); place < ROWS * COLUMNS; place += 64) {
    const int row = first.x + place / COLUMNS;
    const int column = first.y + place % COLUMNS;
    const int line = SWAP ? column : row;
    float sum = 0.0f;
    for (int depth = first_k; row < m && column < n && depth < min(k, first_k + part_depth); ++depth) {
      const int y_line = SWAP ? row : column;
      const float from_planes = element_of_y(strip, y_line % BLOCK_LINES, depth);
      const float in_place = packed_along_k ? y[y_line * y_ld + depth] : y[depth * y_ld + y_line];
      // Y in place, unless it is not what its planes stand for.
      const float error = fabs(from_planes - in_place);
      const float of_y = error <= 0x1p-16f * fabs(in_place) || (TINY && error <= 0x1p-24f) ? in_place : NAN;
      sum = MULTIPLY_ADD(X_ALONG_K ? x[line * ld + depth] : x[depth * ld + line], of_y, sum);
    }
    if (MARK) sum = 42.0f;
    if (is_part) {
      store_c(result_of_part(&parts), parts.ld, m, n, row, column, 1.0f, sum, 0.0f);
    } else {
      store_c(to, ldc, m, n, row, column, alpha, sum, beta);
    }
  }
  if (is_part && is_last_part(&parts, get_group_id(0), &word))
    add_parts(&parts, 64, ROWS, COLUMNS, to, ldc, m, n, first.x, first.y, alpha, beta);
}
