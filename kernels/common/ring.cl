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

// What wgmma reads a plane's lines by (common/wgmma.cl).
#define PLANE_DESCRIPTOR(address) matrix_descriptor(address, CORE_BYTES, GROUP_BYTES, IN_ORDER)

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

// Of the one work-item that copies: where it is on its way along k.
typedef struct {
  const __global char* a;  // the tile's next blocks
  const __global char* b;
  ulong strip;             // bytes from one strip to the next
  int left;                // of k
  int stage;
  uint parity;
} Copier;

static inline Copier make_copier(const __global char* a, const __global char* b, const ulong strip, const int k) {
  const Copier copier = {a, b, strip, k, 0, 1};
  return copier;
}

// The next step along k, 64-line blocks of A and B, each where the packing has put it.
static inline void copy_step(Copier* copier, const uint memory, const uint barriers) {
  const uint full = full_barrier(barriers, copier->stage);
  const uint place = memory + copier->stage * STAGE_BYTES;
  mbarrier_wait(empty_barrier(barriers, copier->stage), copier->parity);
  mbarrier_expect_bytes(full, STAGE_BYTES);
#pragma unroll
  for (int block = 0; block < M_BLOCKS; ++block) {
    copy_bulk(place + block * STEP * BLOCK_BYTES, copier->a + block * copier->strip, STEP * BLOCK_BYTES, full);
  }
#pragma unroll
  for (int block = 0; block < N_BLOCKS * STEP; ++block) {
    copy_bulk(place + A_BYTES + block * BLOCK_BYTES,
              copier->b + block % N_BLOCKS * copier->strip + block / N_BLOCKS * BLOCK_BYTES, BLOCK_BYTES, full);
  }
  copier->a += STEP * BLOCK_BYTES;
  copier->b += STEP * BLOCK_BYTES;
  copier->left -= BLOCK_DEPTH * STEP;
  if (++copier->stage == STAGES) {
    copier->stage = 0;
    copier->parity ^= 1;
  }
}

// Steps that are on their way before it is known whether they are needed. Half of the stages do for that time: on an H200 calls take as
// long as with all, and what must go on to the kernel behind 1 % less (4096).
#define FIRST_STEPS ((STAGES + 1) / 2)

static inline void copy_first_steps(Copier* copier, const uint memory, const uint barriers) {
  for (int step = 0; step < FIRST_STEPS && copier->left > 0; ++step) copy_step(copier, memory, barriers);
}

// For a work-group that ends without multiplying: nothing may be on its way into its memory any more.
static inline void wait_for_first_steps(const int k, const uint barriers) {
  for (int step = 0; step < FIRST_STEPS && step * BLOCK_DEPTH * STEP < k; ++step) {
    mbarrier_wait(full_barrier(barriers, step), 0);
  }
}
