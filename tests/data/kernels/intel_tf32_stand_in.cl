// Stands in for the matrix function of Intel's GPUs that takes TF32 numbers, on any device, for
// launch/dpas_test.cpp. Khronos documents the layouts: cl_intel_subgroup_matrix_multiply_accumulate_tf32. A
// sub-group has 16 work-items. Work-items exchange rows as in intel_stand_in.cl.

typedef float4 Rows;

static inline float8 intel_sub_group_tf32_tf32_matrix_mad_k8(const Rows a, const float8 b, const float8 sum) {
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read what was exchanged before
  exchange[get_local_id(0)] = as_float4(as_uint4(a) & 0xffffe000u);  // TF32 has 19 bits
  barrier(CLK_LOCAL_MEM_FENCE);
  const __local Rows* of_items = exchange + get_local_id(0) / 16 * 16;
  float8 result = sum;
  for (int k = 0; k < 8; ++k) {
    const float factor = as_float(as_uint(b[k]) & 0xffffe000u);
    for (int row = 0; row < 8; ++row) result[row] += of_items[row % 2 * 8 + k][row / 2] * factor;
  }
  return result;
}
