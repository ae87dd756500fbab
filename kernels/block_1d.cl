// clgemm: block_1d
// summary: BM x BN x BK tiles, each work-item computes TM results down a column of C
// operands: padded
// param: BM = 64 in 32 64 128
// param: BN = 64 in 32 64 128
// param: BK = 8 in 8 16
// param: TM = 8 in 4 8 16
// variant: block_1d_256 TM=16
// tile: BM BN BK
// local: BN BM/TM
// grid: columns rows
// into_local: BM+BN
// require: BM % TM == 0
// require: BM*BK % (BN*BM/TM) == 0 && BK*BN % (BN*BM/TM) == 0
// require: 4*BK*(BM+BN) <= local_bytes

// Step 2 of the CUDA matmul worklog (siboehm/SGEMM_CUDA, kernel 4), "1D blocktiling". Because a tile is
// shallow (BK = 8), a large block of C needs little local memory. All work-items together move BM x BK of A
// and BK x BN of B, independent of their place in C. `block_1d_256` is for devices with at most 256
// work-items in a work-group.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM)
#error "block_1d needs BM, BN, BK and TM"
#endif
#include "common/arguments.cl"
#include "common/store.cl"

#define ITEMS (BN * BM / TM)

__kernel __attribute__((reqd_work_group_size(BN, BM / TM, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float a_tile[BM][BK];
  __local float b_tile[BK][BN];
  const int item_column = get_local_id(0);
  const int item_row = get_local_id(1) * TM;
  const int item = get_local_id(1) * BN + item_column;
  const int block_row = get_group_id(1) * BM;
  const int block_column = get_group_id(0) * BN;
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + block_row * lda;
  b += b_offset + batch * b_stride + block_column;
  c += c_offset + batch * c_stride;

  float sums[TM];
  for (int t = 0; t < TM; ++t) sums[t] = 0.0f;

  for (int tile_start = 0; tile_start < k; tile_start += BK) {
    for (int element = item; element < BM * BK; element += ITEMS) {
      a_tile[element / BK][element % BK] = a[element / BK * lda + tile_start + element % BK];
    }
    for (int element = item; element < BK * BN; element += ITEMS) {
      b_tile[element / BN][element % BN] = b[(tile_start + element / BN) * ldb + element % BN];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < BK; ++depth) {
      const float b_value = b_tile[depth][item_column];
      for (int t = 0; t < TM; ++t) {
        sums[t] = MULTIPLY_ADD(a_tile[item_row + t][depth], b_value, sums[t]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int t = 0; t < TM; ++t) {
    store_c(c, ldc, m, n, block_row + item_row + t, block_column + item_column, alpha, sums[t], beta);
  }
}
