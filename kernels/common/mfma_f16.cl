// The atom of v_mfma_f32_16x16x16_f16, AMD's matrix instruction of CDNA for fp16, for fp16x3_mfma.cl. It
// multiplies 16 rows by 16 columns, 16 deep, with a wave of 64. Each work-item gives four of k of row and
// column lane % 16. A piece has eight of k, which is enough for two instructions.
#define WAVE 64
#define FIRST_ROW(lane) ((lane) / 16 * 4)
#define ROW_STEP 1
#define STEP_INSTRUCTIONS 2  // along k
#define FRAGMENT_PIECES 1
#define FIRST_PIECE(lane, blocks) \
  ((lane) / 32 * (blocks) * BLOCK_PIECES + (lane) / 16 % 2 * CORE_PIECES)
#define PIECE_PLACE(i, blocks) 0

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Returns sum + a b for one of the instructions of a step.
static inline float4 multiply_add_halves(const uint4* a, const uint4* b, const int instruction,
                                         const float4 sum) {
  const half4 of_a = as_half4(instruction == 0 ? a[0].xy : a[0].zw);
  const half4 of_b = as_half4(instruction == 0 ? b[0].xy : b[0].zw);
  return __builtin_amdgcn_mfma_f32_16x16x16f16(of_a, of_b, sum, 0, 0, 0);
}
