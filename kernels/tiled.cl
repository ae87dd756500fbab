// clgemm: tiled
// summary: TS x TSK tiles of A and TSK x TS tiles of B in local memory, one element of C per work-item
// operands: padded
// param: TS = 16 in 8 16 32
// param: TSK = 16 in 8 16 32
// tile: TS TS TSK
// local: TS TS
// grid: columns rows
// into_local: 2*TS
// require: 4*2*TS*TSK <= local_bytes

// Kernel 2 of the CLBlast author's OpenCL SGEMM tutorial, and step 1 of the CUDA worklog. Every element that
// is read from global memory serves TS work-items.
//
//              TSK               TS
//           +-------+      TSK +----+
//      A TS | tile  |        B |tile|          C: TS x TS of one work-group
//           +-------+          +----+
#if !defined(TS) || !defined(TSK)
#error "tiled needs TS and TSK"
#endif
#include "common/arguments.cl"
#include "common/store.cl"

__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float a_tile[TS][TSK];
  __local float b_tile[TSK][TS];
  const int item_column = get_local_id(0);
  const int item_row = get_local_id(1);
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + row * lda;
  b += b_offset + batch * b_stride + column;
  c += c_offset + batch * c_stride;

  float sum = 0.0f;
  for (int tile_start = 0; tile_start < k; tile_start += TSK) {
    for (int depth = item_column; depth < TSK; depth += TS) {
      a_tile[item_row][depth] = a[tile_start + depth];
    }
    for (int depth = item_row; depth < TSK; depth += TS) {
      b_tile[depth][item_column] = b[(tile_start + depth) * ldb];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < TSK; ++depth) {
      sum = MULTIPLY_ADD(a_tile[item_row][depth], b_tile[depth][item_column], sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  store_c(c, ldc, m, n, row, column, alpha, sum, beta);
}
