// Products of four elements of A with fours of B, added to four rows of sums, B_FOURS fours each.
//
// The order is to and fro: so each multiply-add has an operand in common with the one before it. NVIDIA's GPUs take operands from two
// banks of registers, one from each at a time, and keep one of the instruction before ("reuse", Scott Gray's maxas); three that are
// new cost a second turn. On an H200 block_2d.cl's 4096 x 4096 x 4096 has 51 TFLOP/s this way, and 48 where each row begins anew.
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
