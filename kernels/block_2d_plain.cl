// clgemm: block_2d_plain
// summary: BM x BN x BK tiles, each work-item computes TM x TN results in registers
// operands: padded
// param: BM = 128 in 32 64 128
// param: BN = 128 in 32 64 128
// param: BK = 8 in 8 16
// param: TM = 8 in 4 8
// param: TN = 8 in 4 8
// tile: BM BN BK
// local: BM/TM*(BN/TN) 1
// grid: columns rows
// into_local: BM+BN
// require: 4*BK*(BM+BN) <= local_bytes

// Step 3 of the CUDA matmul worklog (siboehm/SGEMM_CUDA, kernel 5), "2D blocktiling". For each depth a
// work-item reads TM + TN elements from local memory and uses them in TM * TN multiply-adds. `block_1d` reads
// TM + 1 elements for TM multiply-adds.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN)
#error "block_2d_plain needs BM, BN, BK, TM and TN"
#endif
#include "common/arguments.cl"
#include "common/store.cl"

#define ITEMS (BM / TM * (BN / TN))

static inline void multiply_tiles(float sums[TM][TN], const __local float a_tile[BM][BK],
                                  const __local float b_tile[BK][BN], const int item_row,
                                  const int item_column) {
  for (int depth = 0; depth < BK; ++depth) {
    float a_column[TM];
    float b_row[TN];
#pragma unroll
    for (int row = 0; row < TM; ++row) a_column[row] = a_tile[item_row + row][depth];
#pragma unroll
    for (int column = 0; column < TN; ++column) b_row[column] = b_tile[depth][item_column + column];
#pragma unroll
    for (int row = 0; row < TM; ++row) {
#pragma unroll
      for (int column = 0; column < TN; ++column) {
        sums[row][column] = MULTIPLY_ADD(a_column[row], b_row[column], sums[row][column]);
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float a_tile[BM][BK];
  __local float b_tile[BK][BN];
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

  for (int tile_start = 0; tile_start < k; tile_start += BK) {
    for (int element = item; element < BM * BK; element += ITEMS) {
      a_tile[element / BK][element % BK] = a[element / BK * lda + tile_start + element % BK];
    }
    for (int element = item; element < BK * BN; element += ITEMS) {
      b_tile[element / BN][element % BN] = b[(tile_start + element / BN) * ldb + element % BN];
    }
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
