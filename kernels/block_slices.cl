// clgemm: block_slices
// summary: BM x BN tiles; SLICES parts of a work-group share the way along k
// operands: padded
// param: BM = 64 in 16 32 64 128
// param: BN = 64 in 16 32 64 128
// param: TM = 8 in 4 8 16
// param: TN = 8 in 4 8
// param: DEPTH = 8 in 4 8 16
// param: SLICES = 4 in 1 2 4 8 16
// param: COPIES = 2 in 1 2
// tile: BM BN DEPTH*SLICES
// local: BM/TM*(BN/TN)*SLICES
// grid: tiles
// align: 4
// require: BM % TM == 0 && BN % (4*TN) == 0 && DEPTH*SLICES % 8 == 0
// require: 4*COPIES*DEPTH*SLICES*(BM+BN+8) <= local_bytes
// require: 16*(SLICES/2)*(BM/TM)*BN <= local_bytes

// For shapes of few tiles, too few for block_2d to fill the device. The technique is in common/slices.cl.
#define WIDTH 4
#include "common/slices.cl"
#include "common/tile_order.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  __local float4 memory[SLICES_MEMORY / 4];
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, 8);
  const int first_row = tile.x * BM;
  const int first_column = tile.y * BN;
  const size_t batch = get_global_id(2);
  const Lines a_lines = whole_lines_from(a + a_offset + batch * a_stride, lda, false, first_row, BM, k);
  const Lines b_lines = whole_lines_from(b + b_offset + batch * b_stride, ldb, true, first_column, BN, k);
  multiply_slices(memory, a_lines, b_lines, m, n, k, alpha, beta, c + c_offset + batch * c_stride, ldc, first_row,
                  first_column);
}
