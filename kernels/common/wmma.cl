// The atom of WMMA, the matrix instruction of AMD's RDNA 3 and 4, for common/mfma.cl and fp16x3_mfma.cl.
// v_wmma_f32_16x16x16_f16 multiplies 16 rows by 16 columns, 16 deep, with a wave of 32. Each work-item gives
// numbers of row and column lane % 16. On RDNA 3 these are all 16 of k, so both halves of the wave give the
// same ones. On RDNA 4 each half gives 8 of k.
#define WAVE 32
#define STEP_INSTRUCTIONS 2  // along k
#if defined(__GFX11__)
#define FIRST_ROW(lane) ((lane) / 16)
#define ROW_STEP 2
#define FRAGMENT_PIECES 4
#define FIRST_PIECE(lane, blocks) 0
#define PIECE_PLACE(i, blocks) ((i) / 2 * (blocks) * BLOCK_PIECES + (i) % 2 * CORE_PIECES)
// Keeps the loads of the next row of blocks behind the products of this one. Otherwise clang 19 has the
// numbers of both rows in registers, and spills 64 bytes with 64 x 32 results.
#define END_ROW __builtin_amdgcn_sched_barrier(0)
#else
#define FIRST_ROW(lane) ((lane) / 16 * 8)
#define ROW_STEP 1
#define FRAGMENT_PIECES 2
#define FIRST_PIECE(lane, blocks) ((lane) / 16 * CORE_PIECES)
#define PIECE_PLACE(i, blocks) ((i) * (blocks) * BLOCK_PIECES)
#endif

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Returns sum + a b for one of the instructions of a step.
static inline float8 multiply_add_halves(const uint4* a, const uint4* b, const int instruction,
                                         const float8 sum) {
#if defined(__GFX11__)
  const uint8 of_a = (uint8)(a[2 * instruction], a[2 * instruction + 1]);
  const uint8 of_b = (uint8)(b[2 * instruction], b[2 * instruction + 1]);
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(as_half16(of_a), as_half16(of_b), sum);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(as_half8(a[instruction]), as_half8(b[instruction]),
                                                          sum);
#endif
}
