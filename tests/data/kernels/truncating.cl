// clgemm: truncating
// summary: drops the lower half of each element of A, so that the check finds it less exact than fp32
// operands: in_place
// tile: 8 8 1
// local: 8 8
// grid: columns rows

#include "common/in_place.cl"
#include "common/store.cl"

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta,
          __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    const float value = as_float(as_uint(element_of_a(a + a_offset, lda, row, depth)) & 0xffff0000u);
    sum = MULTIPLY_ADD(value, element_of_b(b + b_offset, ldb, depth, column), sum);
  }
  store_c(c + c_offset, ldc, m, n, row, column, alpha, sum, beta);
}
