// The epilogue of kernels on tensor cores. It takes a warp's results from registers to C through local memory
// (common/store_tile.cl). A warp that stores from its registers touches 32 bytes of each of eight rows at a
// time, and reads C's old elements pair by pair. For 3861 x 4053 x 155 that took 210 us with a beta and 93 us
// without. This way takes 97 and 82 us (H200, 24 November 2026).
//
// The results are 16 lines of a tile in blocks of 8 places along the lines. A work-item has four floats of
// each block: places lane % 4 * 2 and the next of one line, and the same places of another line. mma.sync and
// wgmma agree in that. The two lines are 8 apart, or neighbours if the kernel has loaded the operand's lines
// in such an order.
#include "common/store_tile.cl"

#define ALWAYS_INLINED static inline __attribute__((always_inline))  // so that registers have names

// Stands between a warp's writes to local memory and its reads of what other lanes wrote, and also between
// such reads and the next writes.
#if defined(__NV_CL_C_VERSION)
#define WARP_BARRIER asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define WARP_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

// Puts a work-item's `count` sums into a tile in local memory, or adds them to what is there. `place` is the
// address of the first sum. `next` is the distance in floats to the neighbour along the line, `below` the
// distance to the other line.
ALWAYS_INLINED void put_sums(__local float* place, const float* sums, const int count, const int next,
                             const int below, const bool adds) {
#pragma unroll
  for (int i = 0; i < count; i += 2) {
    __local float* to = place + i / 4 * 8 * next + i / 2 % 2 * below;
    if (next == 1) {
      const float2 pair = (float2)(sums[i], sums[i + 1]);
      *(__local float2*)to = adds ? *(__local float2*)to + pair : pair;
    } else {
      to[0] = adds ? to[0] + sums[i] : sums[i];
      to[next] = adds ? to[next] + sums[i + 1] : sums[i + 1];
    }
  }
}

// A warp's 16 rows of a tile, in local memory that belongs to the warp: WARP_TILE floats. With this stride,
// pairs of four rows lie in different banks.
#define WARP_ROWS 16
#define WARP_STRIDE(columns) ((columns) + 8)
#define WARP_TILE(columns) (WARP_ROWS * WARP_STRIDE(columns))

ALWAYS_INLINED void put_warp_rows(__local float* tile, const float* sums, const int columns) {
  const int lane = get_local_id(0) % 32;
  const int stride = WARP_STRIDE(columns);
  put_sums(tile + lane / 4 * stride + lane % 4 * 2, sums, columns / 2, 1, 8 * stride, false);
}

// Stores what put_warp_rows() has put there; a WARP_BARRIER stands between the two.
ALWAYS_INLINED void store_warp_rows(const Target target, const __local float* tile, const int columns) {
  const Tile from = {tile, WARP_ROWS, columns, WARP_STRIDE(columns), 1, 0};
  store_tile_of_c(target, from, get_local_id(0) % 32, 32);
}

// Returns the part of a target from a row and a column on.
static inline Target target_from(const Target target, const int row, const int column) {
  const Target part = {target.first + row * target.ld + column, target.ld,
                       target.rows - row, target.columns - column, target.alpha, target.beta};
  return part;
}
