// clgemm: adding_parts
// summary: 32 elements a work-item; split-K, and the same launch adds the slices
// operands: in_place
// adds_parts: 1
// tile: 64 32 1
// local: 64
// grid: tiles

#include "common/in_place.cl"
#include "common/parts.cl"
#include "common/tile_order.cl"

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          const int part_depth, __global float* parts_memory, const ulong parts_offset, const ulong parts_ld,
          const ulong parts_stride, __global uint* arrivals) {
  __local uint word;
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const size_t batch = is_part ? 0 : get_global_id(2);
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const int2 tile = tile_position((m + 63) / 64, (n + 31) / 32, 8) * (int2)(64, 32);
  __global float* to = c + c_offset + batch * c_stride;
  for (int place = get_local_id(0); place < 64 * 32; place += 64) {
    const int row = tile.x + place / 32;
    const int column = tile.y + place % 32;
    float sum = 0.0f;
    for (int depth = first_k; row < m && column < n && depth < min(k, first_k + part_depth); ++depth) {
      sum = MULTIPLY_ADD(element_of_a(a + a_offset + batch * a_stride, lda, row, depth),
                         element_of_b(b + b_offset + batch * b_stride, ldb, depth, column), sum);
    }
    if (is_part) {
      store_c(result_of_part(&parts), parts.ld, m, n, row, column, 1.0f, sum, 0.0f);
    } else {
      store_c(to, ldc, m, n, row, column, alpha, sum, beta);
    }
  }
  if (is_part && is_last_part(&parts, get_group_id(0), &word))
    add_parts(&parts, 64, 64, 32, to, ldc, m, n, tile.x, tile.y, alpha, beta);
}
