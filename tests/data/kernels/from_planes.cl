// clgemm: from_planes
// summary: GEMM from bf16 planes without tensor cores, to test the format of the planes on any device
// operands: bf16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// param: MARK = 0 in 0 1
// tile: 64 64 16
// local: 64 1
// grid: columns rows

// With MARK, every element of C becomes 42, which shows that this kernel computed it.
#include "common/bf16_planes.cl"
#include "common/bf16_range.cl"
#include "common/store.cl"

static inline float plane_value(__global const ushort* restrict planes, const int plane, const int line,
                                const int depth, const int depths) {
  const size_t block = (size_t)(line / BLOCK_LINES) * (depths / BLOCK_DEPTH) + depth / BLOCK_DEPTH;
  const size_t bytes = block * BLOCK_BYTES + line % BLOCK_LINES / 8 * GROUP_BYTES + plane * PLANE_BYTES +
                       depth % BLOCK_DEPTH / 8 * CORE_BYTES + line % 8 * 16 + depth % 8 * 2;
  return as_float((uint)planes[bytes / 2] << 16);
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
  if (!leave_is_done(planes_are_exact(&extremes), notes, notes_offset, a_notes, a_stride, b_notes,
                     b_stride))
    return;
  const size_t batch = get_global_id(2);
  __global const ushort* a_planes = (__global const ushort*)(a + a_offset + batch * a_stride);
  __global const ushort* b_planes = (__global const ushort*)(b + b_offset + batch * b_stride);
  c += c_offset + batch * c_stride;
  const int column = get_global_id(0);
  for (int row = get_group_id(1) * 64; row < (get_group_id(1) + 1) * 64; ++row) {
    float sum = 0.0f;
    for (int depth = 0; depth < k; ++depth) {
      for (int order = PLANES - 1; order >= 0; --order) {
        for (int plane = order; plane >= 0; --plane) {
          sum += plane_value(a_planes, plane, row, depth, k) *
                 plane_value(b_planes, order - plane, column, depth, k);
        }
      }
    }
    store_c(c, ldc, m, n, row, column, alpha, MARK ? 42.0f : sum, beta);
  }
}
