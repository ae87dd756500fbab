// clgemm: several_tiles
// summary: a work-group computes several tiles if LIMIT is not 0: neighbours if RUNS is 1
// operands: in_place
// param: LIMIT = 1 in 0 1 3
// param: RUNS = 0 in 0 1
// persistent: LIMIT
// tile: 4 8 1
// local: 32
// grid: tiles

#include "common/arguments.cl"
#include "common/in_place.cl"
#include "common/store.cl"
#include "common/tile_order.cl"
#include "common/tile_runs.cl"

static inline void multiply_element(__global const float* a, __global const float* b, __global float* c,
                                    const Numbers numbers, const int2 tile) {
  UNPACK_NUMBERS;
  const int row = tile.x * 4 + get_local_id(0) / 8;
  const int column = tile.y * 8 + get_local_id(0) % 8;
  if (row >= m || column >= n) return;
  const size_t batch = get_global_id(2);
  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    sum = MULTIPLY_ADD(element_of_a(a + a_offset + batch * a_stride, lda, row, depth),
                       element_of_b(b + b_offset + batch * b_stride, ldb, depth, column), sum);
  }
  store_c(c + c_offset + batch * c_stride, ldc, m, n, row, column, alpha, sum, beta);
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  const int tile_rows = (numbers.m + 3) / 4;
  const int tile_columns = (numbers.n + 7) / 8;
#if !RUNS
  for (int number = get_group_id(0); number < tile_rows * tile_columns; number += get_num_groups(0))
    multiply_element(a, b, c, numbers, position_of_tile(number, tile_rows, tile_columns, 2));
#else
  Tiles tiles = tiles_of_group(tile_rows * tile_columns);
  while (tiles.next < tiles.end) {
    const Run run = take_run(&tiles, tile_columns);
    for (int column = run.column; column < run.end; ++column)
      multiply_element(a, b, c, numbers, (int2)(run.row, column));
  }
#endif
}
