// The tile of a work-group that multiplies TF32 numbers on matrix units, with A and B in the caller's memory.
// The parts of numbers and their limits are in common/tf32.cl, and the loop is in common/tf32_warps.cl. A
// file with the instruction (an atom) includes this file.
//
// The kernel defines the size of a tile and of a warp's part of it. WARP is the number of work-items of a
// warp. If a tile is computed again in plain fp32, a work-item has TM x TN results.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(WARP_M) || !defined(WARP_N) || !defined(WARP) || \
    !defined(STAGES) || !defined(BAND) || !defined(TM) || !defined(TN)
#error "common/tf32_tile.cl needs TILE_M, TILE_N, WARP_M, WARP_N, WARP, STAGES, BAND, TM and TN"
#endif
#define LOADS_STAY
#define ROWS TILE_M
#define COLUMNS TILE_N
#define MULTIPLIERS (TILE_M / WARP_M * (TILE_N / WARP_N) * WARP)  // all work-items
#define SLICES 1
#define C_STRIDE (TILE_N + 8)
#define STEP 32
#define COPIERS MULTIPLIERS
#define INLINED static inline __attribute__((always_inline))  // inlined, so that arrays can live in registers
#include "common/arguments.cl"
#include "common/copy_lines.cl"
#include "common/tf32.cl"

// The layout of the operands, in memory and in a stage: A, then B. The strides leave room for shifts and
// spread rows over the banks.
#define A_ALONG_K (!TRANSPOSE_A)
#define B_ALONG_K TRANSPOSE_B
#define LINES_STRIDE(along_k, lines) ((along_k) ? STEP + 4 : (lines) + 8)
#define LINES_FLOATS(along_k, lines) (LINES_STRIDE(along_k, lines) * ((along_k) ? (lines) : STEP))
#define STAGE_FLOATS (LINES_FLOATS(A_ALONG_K, TILE_M) + LINES_FLOATS(B_ALONG_K, TILE_N))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define MEMORY_FLOATS MOST(STAGES * STAGE_FLOATS, MOST(TILE_M * C_STRIDE, SLICES_MEMORY))

// The three products of a number, in the order in which they are added.
#define LOW_HIGH 0
#define HIGH_LOW 1
#define HIGH_HIGH 2
