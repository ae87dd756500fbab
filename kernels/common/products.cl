// Adds the products of four elements of A and B_FOURS float4 of B to four rows of sums, B_FOURS float4 each.
//
// Every second row goes backwards, so each multiply-add shares an operand with the one before it. NVIDIA's
// GPUs read operands from two register banks, one from each bank at a time. They can reuse one operand of the
// instruction before ("reuse" in Scott Gray's maxas); three new operands cost a second cycle. With this
// order, block_2d.cl reaches 51 TFLOP/s for 4096 x 4096 x 4096. It reaches 48 if each row starts at its first
// column (H200, November 2026).
#if !defined(B_FOURS)
#error "common/products.cl needs B_FOURS"
#endif
#include "common/arithmetic.cl"

static inline void add_products(float4 sums[4][B_FOURS], const float4 a_four, const float4 b_fours[B_FOURS]) {
  const float a[4] = {a_four.x, a_four.y, a_four.z, a_four.w};
  const float* b = (const float*)b_fours;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    float* of_row = (float*)sums[row];
#pragma unroll
    for (int i = 0; i < 4 * B_FOURS; ++i) {
      const int column = row % 2 == 0 ? i : 4 * B_FOURS - 1 - i;
      of_row[column] = MULTIPLY_ADD(a[row], b[column], of_row[column]);
    }
  }
}
