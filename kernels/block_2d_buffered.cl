// clgemm: block_2d_buffered
// summary: block_2d_fours with two copies of the tiles: the next tiles are loaded during the multiplication
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
// require: 4*2*BK*(BM+BN) <= local_bytes

// Double buffering, as in kernel 11 of the CUDA matmul worklog (siboehm/SGEMM_CUDA). A work-item loads its
// part of the next tiles into registers before it multiplies the present ones. One barrier for each tile is
// enough, because the next tiles are stored into the other copy.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN)
#error "block_2d_buffered needs BM, BN, BK, TM and TN"
#endif
#include "common/arguments.cl"
#include "common/store.cl"
#include "common/tiles_by_fours.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 a_tiles[2][BK][BM / 4];
  __local float4 b_tiles[2][BK][BN / 4];
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
  load_tiles(a_next, b_next, item, 0, a, lda, b, ldb);
  store_tiles(a_tiles[0], b_tiles[0], item, a_next, b_next);
  barrier(CLK_LOCAL_MEM_FENCE);
  int buffer = 0;
  for (int tile_start = BK; tile_start < k; tile_start += BK) {
    load_tiles(a_next, b_next, item, tile_start, a, lda, b, ldb);
    multiply_tiles(sums, a_tiles[buffer], b_tiles[buffer], item_row, item_column);
    buffer ^= 1;
    store_tiles(a_tiles[buffer], b_tiles[buffer], item, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  multiply_tiles(sums, a_tiles[buffer], b_tiles[buffer], item_row, item_column);
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; ++column) {
      store_c(c, ldc, m, n, block_row + item_row + row, block_column + item_column + column, alpha,
              sums[row][column], beta);
    }
  }
}
