// clgemm: lines
// summary: tests common/copy_lines.cl: lines come to local memory, and are multiplied from there
// operands: in_place
// param: LINES = 64 in 32 64 128      rows of op(A) in a tile, which has 32 columns of op(B)
// tile: LINES 32 1
// local: 128
// grid: tiles

#define STEP 32
#define COPIERS 128
#include "common/copy_lines.cl"
#include "common/in_place.cl"
#include "common/store.cl"
#include "common/tile_order.cl"

#define COLUMNS 32
#define A_ALONG_K (!TRANSPOSE_A)
#define B_ALONG_K TRANSPOSE_B
#define STRIDE(along_k, lines) ((along_k) ? STEP + 4 : (lines) + 4)
#define A_STRIDE STRIDE(A_ALONG_K, LINES)
#define B_STRIDE STRIDE(B_ALONG_K, COLUMNS)
#define SIZE(along_k, lines) (STRIDE(along_k, lines) * ((along_k) ? (lines) : STEP))

// Returns an element of a step.
static inline float element_of_step(const __local float* step, const Source source, const bool along_k,
                                    const int stride, const int line, const int depth) {
  const int row = along_k ? line : depth;
  return step[row * stride + (along_k ? depth : line) + shift_of(source, row)];
}

__kernel __attribute__((reqd_work_group_size(COPIERS, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  __local float a_step[SIZE(A_ALONG_K, LINES)] __attribute__((aligned(16)));
  __local float b_step[SIZE(B_ALONG_K, COLUMNS)] __attribute__((aligned(16)));
  const size_t batch = get_global_id(2);
  const int2 tile =
      tile_position((m + LINES - 1) / LINES, (n + COLUMNS - 1) / COLUMNS, 8) * (int2)(LINES, COLUMNS);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  const Source rows = {a + tile.x * (TRANSPOSE_A ? 1 : lda), lda, m - tile.x, k};
  const Source columns = {b + tile.y * (TRANSPOSE_B ? ldb : 1), ldb, n - tile.y, k};
  const int item = get_local_id(0);
  float sums[LINES * COLUMNS / COPIERS];
  for (int i = 0; i < LINES * COLUMNS / COPIERS; ++i) sums[i] = 0.0f;
  for (int from = 0; from < k; from += STEP) {
    barrier(CLK_LOCAL_MEM_FENCE);  // all have multiplied the step before
    copy_lines(item, shared_address(a_step), rows, A_ALONG_K, LINES, A_STRIDE, from);
    copy_lines(item, shared_address(b_step), columns, B_ALONG_K, COLUMNS, B_STRIDE, from);
    copies_commit();
    COPIES_WAIT(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    // The whole step counts, so what lies past the ends of the operands must be zero.
    for (int i = 0; i < LINES * COLUMNS / COPIERS; ++i) {
      const int row = (i * COPIERS + item) / COLUMNS;
      const int column = (i * COPIERS + item) % COLUMNS;
      for (int depth = 0; depth < STEP; ++depth) {
        sums[i] = MULTIPLY_ADD(element_of_step(a_step, rows, A_ALONG_K, A_STRIDE, row, depth),
                               element_of_step(b_step, columns, B_ALONG_K, B_STRIDE, column, depth), sums[i]);
      }
    }
  }
  for (int i = 0; i < LINES * COLUMNS / COPIERS; ++i) {
    const int row = tile.x + (i * COPIERS + item) / COLUMNS;
    const int column = tile.y + (i * COPIERS + item) % COLUMNS;
    if (row < m && column < n)
      store_c(c + c_offset + batch * c_stride, ldc, m, n, row, column, alpha, sums[i], beta);
  }
}
