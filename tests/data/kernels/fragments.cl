// clgemm: fragments
// summary: tests common/tensor_store.cl: results in registers, as tensor cores leave them, are written to C
// operands: in_place
// param: LENGTH = 64 in 32 64 128
// param: WAY = 0 in 0 1 2             by warps; by the work-group, in two slices; the same, with lines along columns of C
// tile: 32+(WAY==2)*(LENGTH-32) 32+(WAY<2)*(LENGTH-32) 1
// local: 64
// grid: tiles

#include "common/in_place.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"

#define LINES 32  // 16 for each of two warps
#define ROWS (WAY == 2 ? LENGTH : LINES)
#define COLUMNS (WAY == 2 ? LINES : LENGTH)
#define SUMS (LENGTH / 2)
#define STRIDE (COLUMNS + 8)
#define APART (WAY == 2 ? 1 : 8)  // distance of the two lines of a work-item

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  __local float memory[ROWS * STRIDE] __attribute__((aligned(16)));
  const size_t batch = get_global_id(2);
  const int2 tile =
      tile_position((m + ROWS - 1) / ROWS, (n + COLUMNS - 1) / COLUMNS, 8) * (int2)(ROWS, COLUMNS);
  const int lane = get_local_id(0) % 32;
  const int warp = get_local_id(0) / 32;
  const int line = warp * 16 + lane / 4 * (WAY == 2 ? 2 : 1);
  const Target whole = {c + c_offset + batch * c_stride, ldc, m, n, alpha, beta};
  const Target target = target_from(whole, tile.x, tile.y);
  prefetch_tile_of_c(target, ROWS, COLUMNS, 64);
  for (int slice = 0; slice < (WAY == 0 ? 1 : 2); ++slice) {
    const int first_k = slice * (k / 2);
    const int last_k = WAY == 0 || slice == 1 ? k : k / 2;
    float sums[SUMS];
    for (int i = 0; i < SUMS; ++i) {
      const int x = line + i / 2 % 2 * APART;
      const int y = i / 4 * 8 + lane % 4 * 2 + i % 2;
      const int row = tile.x + (WAY == 2 ? y : x);
      const int column = tile.y + (WAY == 2 ? x : y);
      sums[i] = 0.0f;
      for (int depth = first_k; row < m && column < n && depth < last_k; ++depth) {
        sums[i] = MULTIPLY_ADD(element_of_a(a + a_offset + batch * a_stride, lda, row, depth),
                               element_of_b(b + b_offset + batch * b_stride, ldb, depth, column), sums[i]);
      }
    }
    if (WAY == 0) {
      put_warp_rows(memory + warp * WARP_TILE(LENGTH), sums, LENGTH);
      WARP_BARRIER;
    } else {
      const int next = WAY == 2 ? STRIDE : 1;
      const int x_step = WAY == 2 ? 1 : STRIDE;
      put_sums(memory + line * x_step + lane % 4 * 2 * next, sums, SUMS, next, APART * x_step, slice > 0);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  if (WAY == 0) {
    store_warp_rows(target_from(target, warp * WARP_ROWS, 0), memory + warp * WARP_TILE(LENGTH), LENGTH);
  } else {
    const Tile from = {memory, ROWS, COLUMNS, STRIDE, 1, 0};
    store_tile_of_c(target, from, get_local_id(0), 64);
  }
}
