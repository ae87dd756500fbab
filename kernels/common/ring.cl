// A ring of stages in local memory. One work-item, the producer, keeps it full with asynchronous copies;
// warpgroups, the consumers, multiply what has arrived. A stage is STEP blocks along k of TILE_M lines of A
// and TILE_N lines of B.
//
// A stage has two barriers. `full` completes when its bytes have arrived, `empty` when all its consumers have
// finished. A waiter sees only the parity of a barrier's phase, so a phase looks like the one two before it.
// Therefore STAGES must be a multiple of SLICES: each stage then always belongs to the same slice, which has
// seen all of its phases.
//
// With 5 stages and 2 slices it would fail. Step 5 follows step 0 in stage 0, but belongs to the other slice,
// and copies arrive in any order. If the copies of steps 1 and 3 arrive before that of step 0, the slice of
// step 5 mistakes the phase before step 0's for the one after it. It multiplies data that is not there and
// arrives at `empty` once too often. An H200 did so once in 100 to 18,000 calls, and the device context was
// lost (November 2026).
#include "common/nvidia.cl"
#include "common/turn.cl"
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STEP) || !defined(STAGES) || !defined(PLANES)
#error "a ring needs TILE_M, TILE_N, STEP, STAGES and a form of planes"
#endif

#define M_BLOCKS (TILE_M / BLOCK_LINES)
#define N_BLOCKS (TILE_N / BLOCK_LINES)
#define A_BYTES (M_BLOCKS * STEP * BLOCK_BYTES)  // bytes of a stage: by 64 rows, then by 16 of k
#define B_BYTES (N_BLOCKS * STEP * BLOCK_BYTES)  // by 16 of k, then by 64 columns
#define STAGE_BYTES (A_BYTES + B_BYTES)

// The wgmma descriptor of a plane's lines (common/wgmma.cl).
#define PLANE_DESCRIPTOR(address) matrix_descriptor(address, CORE_BYTES, GROUP_BYTES, IN_ORDER)

// Initializes the barriers; one work-item calls it. `consumers` is how many arrive at a stage's `empty`
// barrier.
static inline void make_ring(const uint barriers, const int consumers) {
  for (int stage = 0; stage < STAGES; ++stage) {
    mbarrier_init(full_barrier(barriers, stage), 1);
    mbarrier_init(empty_barrier(barriers, stage), consumers);
  }
  mbarrier_init_fence();
}

// The state of the producer: how far it is along k.
typedef struct {
  const __global char* a;  // the tile's next blocks
  const __global char* b;
  ulong strip;             // bytes from one strip to the next
  int left;                // depths left
  Turn turn;
} Copier;

static inline Copier make_copier(const ulong strip) {
  const Copier copier = {0, 0, strip, 0, {0, 1}};
  return copier;
}

// Points the producer at the beginning of a tile.
static inline void aim_copier(Copier* copier, const __global char* a_strips, const __global char* b_strips,
                              const int2 tile, const int k) {
  copier->a = a_strips + tile.x * M_BLOCKS * copier->strip + HEADER_BYTES;
  copier->b = b_strips + tile.y * N_BLOCKS * copier->strip + HEADER_BYTES;
  copier->left = k;
}

// Starts the copies of the next step along k: 64-line blocks of A and B, as the packing has laid them out.
static inline void copy_step(Copier* copier, const uint memory, const uint barriers) {
  const uint full = full_barrier(barriers, copier->turn.stage);
  const uint place = memory + copier->turn.stage * STAGE_BYTES;
  mbarrier_wait(empty_barrier(barriers, copier->turn.stage), copier->turn.parity);
  mbarrier_expect_bytes(full, STAGE_BYTES);
#pragma unroll
  for (int block = 0; block < M_BLOCKS; ++block) {
    copy_bulk(place + block * STEP * BLOCK_BYTES, copier->a + block * copier->strip, STEP * BLOCK_BYTES,
              full);
  }
#pragma unroll
  for (int block = 0; block < N_BLOCKS * STEP; ++block) {
    copy_bulk(place + A_BYTES + block * BLOCK_BYTES,
              copier->b + block % N_BLOCKS * copier->strip + block / N_BLOCKS * BLOCK_BYTES, BLOCK_BYTES,
              full);
  }
  copier->a += STEP * BLOCK_BYTES;
  copier->b += STEP * BLOCK_BYTES;
  copier->left -= BLOCK_DEPTH * STEP;
  next_turn(&copier->turn);
}

// How many steps are in flight before it is known whether they are needed. Half of the stages are enough:
// calls take as long as with all stages. A call that falls back to the next kernel takes 1 % less (H200, size
// 4096, November 2026).
#define FIRST_STEPS ((STAGES + 1) / 2)

static inline void copy_first_steps(Copier* copier, const uint memory, const uint barriers) {
  for (int step = 0; step < FIRST_STEPS && copier->left > 0; ++step) copy_step(copier, memory, barriers);
}

// Waits for the first steps, for a work-group that ends without multiplying. No copy into its memory may be
// in flight when it ends.
static inline void wait_for_first_steps(const int k, const uint barriers) {
  for (int step = 0; step < FIRST_STEPS && step * BLOCK_DEPTH * STEP < k; ++step) {
    mbarrier_wait(full_barrier(barriers, step), 0);
  }
}
