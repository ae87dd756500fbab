// A work-group on AMD's matrix units. Each wave computes WM x WN of a tile of BM x BN, in blocks of 16 x 16
// results. The file that includes this says how a wave multiplies. It may include an atom first
// (common/wmma.cl). An atom defines WAVE, the work-items of a wave, and the rows that each of them has of a
// block: 256 / WAVE rows in column lane % 16, from FIRST_ROW(lane) on, ROW_STEP apart.
#include "common/store_tile.cl"
#if !defined(BM) || !defined(BN) || !defined(WM) || !defined(WN)
#error "a kernel on AMD's matrix units needs BM, BN, WM and WN"
#endif

#if !defined(WAVE)  // all instructions of CDNA that have blocks of 16 x 16 results
#define WAVE 64
#define FIRST_ROW(lane) ((lane) / 16 * 4)
#define ROW_STEP 1
#endif
#define ITEM_ROWS (256 / WAVE)
#define WAVES_DOWN (BM / WM)
#define WAVES_ACROSS (BN / WN)
#define ITEMS (WAVES_DOWN * WAVES_ACROSS * WAVE)
#define BLOCKS_M (WM / 16)  // blocks of 16 x 16 results of a wave
#define BLOCKS_N (WN / 16)
#define SUMS_ROWS (16 * WAVES_DOWN)          // rows of C that are stored at a time, 16 of each wave
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
  return (int2)(wave / WAVES_ACROSS * 16, wave % WAVES_ACROSS * WN);
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
      __local float* place = memory + row * SUMS_STRIDE + column + other * 16;
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; ++i) place[i * ROW_STEP * SUMS_STRIDE] = scaled[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_tile_of_c(target, tile, get_local_id(0), ITEMS);
    target.first += SUMS_ROWS * target.ld;
    target.rows -= SUMS_ROWS;
  }
}
