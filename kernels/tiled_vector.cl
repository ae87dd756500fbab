// clgemm: tiled_vector
// summary: tiles of 8, 16 or 32 rows and columns, 8 or 16 deep, vectors or not: the space of the TVM article
// operands: padded
// param: TILE_Y = 16 in 8 16 32
// param: TILE_X = 32 in 8 16 32
// param: TILE_K = 16 in 8 16
// param: WIDTH = 4 in 1 4
// tile: TILE_Y TILE_X TILE_K
// local: TILE_X/WIDTH TILE_Y
// grid: columns rows
// align: WIDTH
// into_local: TILE_Y+TILE_X
// require: 4*TILE_K*(TILE_Y+TILE_X) <= local_bytes

// After the TVM project's article on tuning GEMM for OpenCL. Its search goes through these 3 x 3 x 2 x 2 = 36
// configs: `clgemm-tune --space tvm36`. The kernel is `tiled` with three independent tile sizes, and with
// WIDTH neighbours of C per work-item.
#if !defined(TILE_Y) || !defined(TILE_X) || !defined(TILE_K) || !defined(WIDTH)
#error "tiled_vector needs TILE_Y, TILE_X, TILE_K and WIDTH"
#endif
#include "common/arguments.cl"
#include "common/store.cl"

#if WIDTH == 1
typedef float vector_t;
#else
#include "common/vector.cl"
#endif

#define ITEMS (TILE_X / WIDTH * TILE_Y)

__kernel __attribute__((reqd_work_group_size(TILE_X / WIDTH, TILE_Y, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local vector_t a_tile[TILE_Y][TILE_K / WIDTH];
  __local vector_t b_tile[TILE_K][TILE_X / WIDTH];
  const int item_vector = get_local_id(0);
  const int item_row = get_local_id(1);
  const int item = item_row * (TILE_X / WIDTH) + item_vector;
  const int first_column = get_global_id(0) * WIDTH;
  const int row = get_global_id(1);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + get_group_id(1) * TILE_Y * lda;
  b += b_offset + batch * b_stride + get_group_id(0) * TILE_X;
  c += c_offset + batch * c_stride;

  const __local float* a_row = (const __local float*)a_tile[item_row];
  vector_t sum = (vector_t)(0.0f);
  for (int tile_start = 0; tile_start < k; tile_start += TILE_K) {
    for (int i = item; i < TILE_Y * TILE_K / WIDTH; i += ITEMS) {
      const int y = i / (TILE_K / WIDTH);
      const int vector = i % (TILE_K / WIDTH);
      a_tile[y][vector] = *(__global const vector_t*)(a + y * lda + tile_start + vector * WIDTH);
    }
    for (int i = item; i < TILE_K * TILE_X / WIDTH; i += ITEMS) {
      const int depth = i / (TILE_X / WIDTH);
      const int vector = i % (TILE_X / WIDTH);
      b_tile[depth][vector] = *(__global const vector_t*)(b + (tile_start + depth) * ldb + vector * WIDTH);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < TILE_K; ++depth) {
      sum = MULTIPLY_ADD((vector_t)(a_row[depth]), b_tile[depth][item_vector], sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float* sums = (const float*)&sum;
  for (int w = 0; w < WIDTH; ++w) store_c(c, ldc, m, n, row, first_column + w, alpha, sums[w], beta);
}
