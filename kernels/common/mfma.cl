// A work-group on the matrix units of AMD's and Intel's GPUs. Each wave (Intel's sub-group) computes WM x WN
// of a tile of BM x BN, in blocks of BLOCK_ROWS x BLOCK_COLUMNS results. The file that includes this says how
// a wave multiplies. It may include an atom first (common/wmma.cl). An atom defines WAVE, the work-items of a
// wave, and the results that each of them has of a block: ITEM_ROWS rows in column lane % BLOCK_COLUMNS, from
// FIRST_ROW(lane) on, ROW_STEP apart.
#include "common/store_tile.cl"
#if !defined(BM) || !defined(BN) || !defined(WM) || !defined(WN)
#error "a kernel on matrix units needs BM, BN, WM and WN"
#endif

#if !defined(WAVE)  // all instructions of CDNA that have blocks of 16 x 16 results
#define WAVE 64
#define FIRST_ROW(lane) ((lane) / 16 * 4)
#define ROW_STEP 1
#endif
#if !defined(BLOCK_ROWS)
#define BLOCK_ROWS 16
#define BLOCK_COLUMNS 16
#endif
#define ITEM_ROWS (BLOCK_ROWS * BLOCK_COLUMNS / WAVE)
#define WAVES_DOWN (BM / WM)
#define WAVES_ACROSS (BN / WN)
#define ITEMS (WAVES_DOWN * WAVES_ACROSS * WAVE)
#define BLOCKS_M (WM / BLOCK_ROWS)  // blocks of a wave
#define BLOCKS_N (WN / BLOCK_COLUMNS)
#define SUMS_ROWS (BLOCK_ROWS * WAVES_DOWN)  // rows of C that are stored at a time
#define SUMS_STRIDE (BN + 4)
#define SUMS_SIZE (SUMS_ROWS * SUMS_STRIDE)

// A work-item's results of a block, and those of all blocks of its wave.
typedef float Sum __attribute__((ext_vector_type(ITEM_ROWS)));
typedef Sum Sums[BLOCKS_M][BLOCKS_N];

static inline void clear(Sums sums) {
#pragma unroll
  for (int i = 0; i < BLOCKS_M * BLOCKS_N; ++i) sums[i / BLOCKS_N][i % BLOCKS_N] = (Sum)(0.0f);
}

// Returns the first row and the first column of this work-item's wave. Blocks of a wave lie SUMS_ROWS apart,
// so that blocks that are stored together are neighbours.
static inline int2 place_of_wave(void) {
  const int wave = get_local_id(0) / WAVE;
  return (int2)(wave / WAVES_ACROSS * BLOCK_ROWS, wave % WAVES_ACROSS * WN);
}

// Keeps loads from global memory before the products of a tile, so that they are in flight meanwhile. clang
// 19 moves them behind half of the products.
#if defined(__has_builtin)
#if __has_builtin(__builtin_amdgcn_sched_barrier)
#define LOADS_FIRST __builtin_amdgcn_sched_barrier(0)
#endif
#endif
#if !defined(LOADS_FIRST)
#define LOADS_FIRST
#endif

#if !defined(WAVE_ATTRIBUTE)
#define WAVE_ATTRIBUTE __attribute__((amdgpu_waves_per_eu(2)))
#endif

#if !defined(END_ROW)  // after the products of a row of blocks
#define END_ROW
#endif

// Stores SUMS_ROWS rows at a time: one row of blocks of each wave. `row` and `column`: of this work-item's
// first result.
static inline void store_by_rows(Sums sums, __local float* memory, Target target, const int row,
                                 const int column) {
  const Tile tile = {memory, SUMS_ROWS, BN, SUMS_STRIDE, 1, SUMS_SIZE};
  const float alpha = target.alpha;
  target.alpha = 1.0f;
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int other = 0; other < BLOCKS_N; ++other) {
      const Sum scaled = alpha * sums[block][other];
      __local float* place = memory + row * SUMS_STRIDE + column + other * BLOCK_COLUMNS;
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) place[i * ROW_STEP * SUMS_STRIDE] = scaled[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_tile_of_c(target, tile, get_local_id(0), ITEMS);
    target.first += SUMS_ROWS * target.ld;
    target.rows -= SUMS_ROWS;
  }
}

// Stores the results from the registers. This is for an atom with a ROW_STEP of 1 whose waves have neighbours
// in each row. `row` and `column`: of this work-item's first result.
static inline void store_from_registers(Sums sums, const Target target, const int row, const int column) {
#pragma unroll
  for (int i = 0; i < BLOCKS_M * BLOCKS_N; ++i) {
    const int first_row = row + i / BLOCKS_N * SUMS_ROWS;
    const int in_column = column + i % BLOCKS_N * BLOCK_COLUMNS;
    const int rows = in_column < target.columns ? target.rows - first_row : 0;
    __global float* place = target.first + first_row * target.ld + in_column;
    Sum results = target.alpha * sums[i / BLOCKS_N][i % BLOCKS_N];
    if (target.beta != 0.0f) {
#pragma unroll
      for (int j = 0; j < ITEM_ROWS; ++j) {
        if (j < rows) results[j] = MULTIPLY_ADD(target.beta, place[j * target.ld], results[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < ITEM_ROWS; ++j) {
      if (j < rows) place[j * target.ld] = results[j];
    }
  }
}
