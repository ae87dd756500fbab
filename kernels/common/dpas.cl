// The atom of DPAS, the matrix instruction of Intel's GPUs, for common/mfma.cl and fp16x3_mfma.cl. It
// multiplies 8 rows by as many columns as a sub-group has work-items, 16 deep. The layouts are in Khronos'
// text of cl_intel_subgroup_matrix_multiply_accumulate.
//
// Each work-item gives all 16 of k of a column, and has the results of this column. The numbers of a row come
// from all work-items of the sub-group, in order. So the 16 of k of each row lie together in local memory,
// and the sub-group reads 8 rows as one block of 256 bytes.
#if LANES != 8 && LANES != 16
#error "DPAS has 8 or 16 columns"
#endif
#define WAVE LANES
#define BLOCK_ROWS 8
#define BLOCK_COLUMNS LANES
#define FIRST_ROW(lane) 0
#define ROW_STEP 1
#define STORES_FROM_REGISTERS 1
#define STEP_INSTRUCTIONS 2  // along k
#define FRAGMENT_ROW(lane) 0
#define FRAGMENT_PIECES 4
#define FIRST_PIECE(lane, blocks) 0
#define PIECE_PLACE(i, blocks) ((i) / 2 * (blocks) * BLOCK_PIECES + (i) % 2 * CORE_PIECES)
#define READ_ROWS read_rows
#define PLACE_IN_ROWS(piece) (((piece) & ~15) + (piece) % 8 * 2 + (piece) / 8 % 2)
// If the numbers of the next step waited in registers, ocloc 22.43 would keep the sums in memory instead.
#define LOADS_AHEAD 0
#define WAVE_ATTRIBUTE __attribute__((intel_reqd_sub_group_size(LANES)))

// Reads 8 rows, 16 deep, of a plane.
static inline void read_rows(uint4* pieces, const __local uint4* rows) {
#if LANES == 8
  const uint8 of_rows = intel_sub_group_block_read8((const __local uint*)rows);
  pieces[0] = of_rows.lo;
  pieces[1] = of_rows.hi;
#else
  pieces[0] = as_uint4(intel_sub_group_block_read_us8((const __local ushort*)rows));
#endif
}

// Returns sum + a b for one of the instructions of a step.
static inline float8 multiply_add_halves(const uint4* a, const uint4* b, const int instruction,
                                         const float8 sum) {
  const int8 of_b = as_int8((uint8)(b[2 * instruction], b[2 * instruction + 1]));
#if LANES == 8
  const int8 of_a = as_int8((uint8)(a[2 * instruction], a[2 * instruction + 1]));
#else
  const short8 of_a = as_short8(a[2 * instruction]);
#endif
  return intel_sub_group_f16_f16_matrix_mad_k16(of_a, of_b, sum);
}
