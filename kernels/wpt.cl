// clgemm: wpt
// summary: each work-item computes WPT rows of one column of C from TS x TS tiles in local memory
// operands: padded
// param: TS = 32 in 8 16 32
// param: WPT = 8 in 2 4 8
// tile: TS TS TS
// local: TS TS/WPT
// grid: columns rows
// into_local: 2*TS
// require: TS % WPT == 0
// require: 4*2*TS*TS <= local_bytes

// Kernel 3 of the CLBlast author's OpenCL SGEMM tutorial, "more work per thread". An element of B that is
// read from local memory is used WPT times, from a register. The rows of one work-item lie TS / WPT apart.
#if !defined(TS) || !defined(WPT)
#error "wpt needs TS and WPT"
#endif
#include "common/arguments.cl"
#include "common/store.cl"

#define ROW_STEP (TS / WPT)

__kernel __attribute__((reqd_work_group_size(TS, ROW_STEP, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float a_tile[TS][TS];
  __local float b_tile[TS][TS];
  const int item_column = get_local_id(0);
  const int item_row = get_local_id(1);
  const int column = get_global_id(0);
  const int first_row = get_group_id(1) * TS + item_row;
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + first_row * lda + item_column;
  b += b_offset + batch * b_stride + item_row * ldb + column;
  c += c_offset + batch * c_stride;

  float sums[WPT];
  for (int w = 0; w < WPT; ++w) sums[w] = 0.0f;

  for (int tile_start = 0; tile_start < k; tile_start += TS) {
    for (int w = 0; w < WPT; ++w) {
      const int step = w * ROW_STEP;
      a_tile[item_row + step][item_column] = a[step * lda + tile_start];
      b_tile[item_row + step][item_column] = b[(tile_start + step) * ldb];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < TS; ++depth) {
      const float b_value = b_tile[depth][item_column];
      for (int w = 0; w < WPT; ++w) {
        sums[w] = MULTIPLY_ADD(a_tile[item_row + w * ROW_STEP][depth], b_value, sums[w]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < WPT; ++w) {
    store_c(c, ldc, m, n, first_row + w * ROW_STEP, column, alpha, sums[w], beta);
  }
}
