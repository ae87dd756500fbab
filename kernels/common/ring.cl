// A ring of stages in local memory, which one work-item keeps full by asynchronous copies and whose other end warpgroups
// multiply: a stage is STEP blocks along k of TILE_M lines of A and TILE_N of B, a stretch of each strip of planes.
//
// A stage has two barriers: `full` says that its bytes have come, `empty` that all who multiplied it have done so. Who waits
// sees only the parity of a barrier's phase, so that a phase looks like the one two before it. STAGES is a multiple of SLICES
// so that each stage always belongs to the same slice, which has seen all of its phases: with 5 stages and 2 slices, step 5
// follows step 0 in stage 0, but in the other slice, and copies come in any order. Where those of steps 1 and 3 come before that
// of step 0, that slice takes the phase before step 0's for the one after it, multiplies what is not there, and arrives at
// `empty` once too often (an H200: once in a hundred to 18,000 calls; the device context is lost).
#include "common/nvidia.cl"
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STEP) || !defined(STAGES) || !defined(PLANES)
#error "a ring needs TILE_M, TILE_N, STEP, STAGES and a form of planes"
#endif

#define M_BLOCKS (TILE_M / BLOCK_LINES)
#define N_BLOCKS (TILE_N / BLOCK_LINES)
#define A_BYTES (M_BLOCKS * STEP * BLOCK_BYTES)  // of a stage: by 64 rows, then by 16 of k
#define B_BYTES (N_BLOCKS * STEP * BLOCK_BYTES)  // by 16 of k, then by 64 columns
#define STAGE_BYTES (A_BYTES + B_BYTES)

static inline uint full_barrier(const uint barriers, const int stage) {
  return barriers + stage * 16;
}

static inline uint empty_barrier(const uint barriers, const int stage) {
  return barriers + stage * 16 + 8;
}

// By one work-item. `consumers`: how many arrive at a stage's barrier when they have done with it.
static inline void make_ring(const uint barriers, const int consumers) {
  for (int stage = 0; stage < STAGES; ++stage) {
    mbarrier_init(full_barrier(barriers, stage), 1);
    mbarrier_init(empty_barrier(barriers, stage), consumers);
  }
  mbarrier_init_fence();
}

// The one work-item that copies: the steps along k of 64-line blocks of A and B, each where the packing has put it. `a` and
// `b`: the tile's first blocks; `strip`: the bytes from one strip to the next.
static inline void copy_steps(const __global char* a, const __global char* b, const ulong strip, const int k,
                              const uint memory, const uint barriers) {
  int stage = 0;
  uint parity = 1;
  for (int left = k; left > 0; left -= BLOCK_DEPTH * STEP) {
    const uint full = full_barrier(barriers, stage);
    const uint place = memory + stage * STAGE_BYTES;
    mbarrier_wait(empty_barrier(barriers, stage), parity);
    mbarrier_expect_bytes(full, STAGE_BYTES);
#pragma unroll
    for (int block = 0; block < M_BLOCKS; ++block) {
      copy_bulk(place + block * STEP * BLOCK_BYTES, a + block * strip, STEP * BLOCK_BYTES, full);
    }
#pragma unroll
    for (int block = 0; block < N_BLOCKS * STEP; ++block) {
      copy_bulk(place + A_BYTES + block * BLOCK_BYTES, b + block % N_BLOCKS * strip + block / N_BLOCKS * BLOCK_BYTES,
                BLOCK_BYTES, full);
    }
    a += STEP * BLOCK_BYTES;
    b += STEP * BLOCK_BYTES;
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
}
