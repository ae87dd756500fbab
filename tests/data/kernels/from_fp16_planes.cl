// clgemm: from_fp16_planes
// summary: GEMM from fp16 planes without tensor cores, to test the format of the planes on any device
// operands: fp16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// param: MARK = 0 in 0 1
// param: FLUSH = 0 in 0 1
// tile: 64 64 16
// local: 64 1
// grid: columns rows

// With MARK, every element of C becomes 42, which shows that this kernel computed it. With FLUSH, denormal
// numbers count as zero, as on some matrix units.
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/half.cl"
#include "common/store.cl"

static inline float plane_value(__global const char* strip, const int plane, const int line,
                                const int depth) {
  const size_t bytes = HEADER_BYTES + depth / BLOCK_DEPTH * BLOCK_BYTES + line / 8 * GROUP_BYTES +
                       plane * PLANE_BYTES + depth % BLOCK_DEPTH / 8 * CORE_BYTES + line % 8 * 16 +
                       depth % 8 * 2;
  const float value = from_half_bits(*(__global const ushort*)(strip + bytes)).x;
  return FLUSH && fabs(value) < 0x1p-14f ? 0.0f : value;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta,
          __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes,
          const ulong before) {
  __local Extremes extremes;
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  work_group_gathers_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, 64);
  if (!leave_is_done(planes_are_exact(&extremes, k), notes, notes_offset, a_notes, a_stride, b_notes,
                     b_stride))
    return;
  const size_t batch = get_global_id(2);
  const int column = get_global_id(0);
  const int first_row = get_group_id(1) * BLOCK_LINES;
  __global const char* a_strip =
      (__global const char*)(a + a_offset + batch * a_stride) + get_group_id(1) * strip_bytes(k);
  __global const char* b_strip =
      (__global const char*)(b + b_offset + batch * b_stride) + get_group_id(0) * strip_bytes(k);
  c += c_offset + batch * c_stride;
  const int b_line = column % BLOCK_LINES;
  for (int a_line = 0; a_line < BLOCK_LINES; ++a_line) {
    float cross = 0.0f;
    float product = 0.0f;
    for (int depth = 0; depth < k; ++depth) {
      const float a_high = plane_value(a_strip, 0, a_line, depth);
      const float b_high = plane_value(b_strip, 0, b_line, depth);
      cross += plane_value(a_strip, 1, a_line, depth) * b_high +
               a_high * plane_value(b_strip, 1, b_line, depth);
      product += a_high * b_high;
    }
    const int exponent = ((__global const int*)a_strip)[a_line] + ((__global const int*)b_strip)[b_line];
    const float2 sums = (float2)(MULTIPLY_ADD(cross, LOW_SCALE, product));
    const float sum = scaled_back(sums, (int2)(exponent * EXPONENT_UNIT)).x;
    store_c(c, ldc, m, n, first_row + a_line, column, alpha, MARK ? 42.0f : sum, beta);
  }
}
