// Stands in for functions of Intel's GPUs on any device, for launch/dpas_test.cpp.
// Khronos documents the layouts: cl_intel_subgroup_matrix_multiply_accumulate and
// cl_intel_subgroup_local_block_io. A sub-group has LANES work-items.
//
// Work-items exchange rows through local memory, which only a kernel can declare. So the test gives the
// matrix function one more argument, `exchange`, with room for all work-items. All of them must call it
// together.
#include "common/half.cl"

#define NUMBERS_OF_ROW (16 / LANES)  // that a work-item gives to an instruction
#if LANES == 8
typedef int8 Rows;
#else
typedef short8 Rows;
#endif

static inline uint8 intel_sub_group_block_read8(const __local uint* from) {
  uint8 result;
  for (int i = 0; i < 8; ++i) result[i] = from[i * LANES + get_local_id(0) % LANES];
  return result;
}

static inline ushort8 intel_sub_group_block_read_us8(const __local ushort* from) {
  ushort8 result;
  for (int i = 0; i < 8; ++i) result[i] = from[i * LANES + get_local_id(0) % LANES];
  return result;
}

static inline float8 intel_sub_group_f16_f16_matrix_mad_k16(const Rows a, const int8 b, const float8 sum) {
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read what was exchanged before
  exchange[get_local_id(0)] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  const __local Rows* of_items = exchange + get_local_id(0) / LANES * LANES;
  float8 result = sum;
  for (int k = 0; k < 16; ++k) {
    const float factor = from_half_bits((uint)b[k / 2] >> k % 2 * 16).x;
    const __local ushort* of_item = (const __local ushort*)(of_items + k / NUMBERS_OF_ROW);
    for (int row = 0; row < 8; ++row)
      result[row] += from_half_bits(of_item[row * NUMBERS_OF_ROW + k % NUMBERS_OF_ROW]).x * factor;
  }
  return result;
}
