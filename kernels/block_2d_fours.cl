// clgemm: block_2d_fours
// summary: block_2d_plain with tiles copied as float4; the tile of A is transposed
// operands: padded
// param: BM = 128 in 32 64 128
// param: BN = 128 in 32 64 128
// param: BK = 8 in 8 16
// param: TM = 8 in 4 8
// param: TN = 8 in 4 8
// tile: BM BN BK
// local: BM/TM*(BN/TN) 1
// grid: columns rows
// align: 4
// into_local: BM+BN
// require: BM*BK % (4*(BM/TM)*(BN/TN)) == 0 && BN*BK % (4*(BM/TM)*(BN/TN)) == 0
// require: 4*BK*(BM+BN) <= local_bytes

// Step 4 of the CUDA matmul worklog (siboehm/SGEMM_CUDA, kernel 6), "vectorize". One instruction moves four
// elements of a tile.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN)
#error "block_2d_fours needs BM, BN, BK, TM and TN"
#endif
#include "common/arguments.cl"
#include "common/store.cl"
#include "common/tiles_by_fours.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 a_tile[BK][BM / 4];
  __local float4 b_tile[BK][BN / 4];
  const int item = get_local_id(0);
  const int item_row = item / (BN / TN) * TM;
  const int item_column = item % (BN / TN) * TN;
  const int block_row = get_group_id(1) * BM;
  const int block_column = get_group_id(0) * BN;
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + block_row * lda;
  b += b_offset + batch * b_stride + block_column;
  c += c_offset + batch * c_stride;

  float sums[TM][TN];
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; ++column) sums[row][column] = 0.0f;
  }

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  for (int tile_start = 0; tile_start < k; tile_start += BK) {
    load_tiles(a_next, b_next, item, tile_start, a, lda, b, ldb);
    store_tiles(a_tile, b_tile, item, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply_tiles(sums, a_tile, b_tile, item_row, item_column);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; ++column) {
      store_c(c, ldc, m, n, block_row + item_row + row, block_column + item_column + column, alpha,
              sums[row][column], beta);
    }
  }
}
