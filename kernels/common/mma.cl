// GEMM with the instructions that every tensor core has had since Ampere. A warp computes 64 x 64 of the
// tile, 16 rows at a time. It loads fragments from local memory with ldmatrix, and asynchronous copies keep
// STAGES steps of 16 along k there. The including file defines multiply_step() and scale_rows(), which do
// what its form of planes needs.
//
// The loop needs all registers that a work-item can have on an A100. So the place of the tile, which only the
// stores need again, waits in local memory. In registers it made clang and ptxas spill 16 bytes of fp16x3_mma
// and 32 bytes of bf16x6_mma.
#include "common/ampere.cl"
#include "common/tensor_store.cl"
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STAGES) || !defined(PLANES)
#error "a multiply by mma needs TILE_M, TILE_N, STAGES and a form of planes"
#endif

#define M_BLOCKS (TILE_M / BLOCK_LINES)
#define N_BLOCKS (TILE_N / BLOCK_LINES)
#define ITEMS (M_BLOCKS * N_BLOCKS * 32)
#define STAGE_BYTES ((M_BLOCKS + N_BLOCKS) * BLOCK_BYTES)
#define BLOCK_COPIES (BLOCK_BYTES / 16 / ITEMS)  // by one work-item
#define COPIES ((M_BLOCKS + N_BLOCKS) * BLOCK_COPIES)
#define ROW_STEPS (BLOCK_LINES / 16)             // a warp's 64 rows, 16 at a time
#define COLUMN_STEPS (BLOCK_LINES / 8)
#define WARP_BLOCK_A (get_local_id(0) / 32 / N_BLOCKS)  // which 64 rows of the tile a warp computes
#define WARP_BLOCK_B (get_local_id(0) / 32 % N_BLOCKS)  // which 64 columns
#define INLINED static inline __attribute__((always_inline))  // inlined, so that arrays can live in registers

// sums += (16 rows x 16 of k) * (16 of k x 8 columns).
static inline void mma(float* sums, const uint* a, const uint* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." PLANE_TYPE "." PLANE_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A work-item's way along k: the next blocks to copy, and the number of steps left to multiply. A step's
// stage is the number of steps from there to the end, modulo STAGES, so no register has to count stages.
typedef struct {
  const __global char* a;
  const __global char* b;
  ulong strip;  // bytes from one strip to the next
  uint stages;
  int left;
} Walk;

// Starts copy number i of the COPIES that a work-item makes for a step: strips of A, then of B, each
// contiguous in both memories. Past the last step it reads nothing and writes zeros. A branch would cost
// registers: with one, clang and ptxas spilled 16 to 24 bytes of both kernels on sm_80.
INLINED void copy_piece(const Walk* walk, const uint stage, const int i, const bool is_there) {
  const int block = i / BLOCK_COPIES;
  const __global char* source =
      block < M_BLOCKS ? walk->a + block * walk->strip : walk->b + (block - M_BLOCKS) * walk->strip;
  const int piece = i % BLOCK_COPIES * ITEMS * 16 + get_local_id(0) * 16;
  copy_some_of_16_by_l1(stage + block * BLOCK_BYTES + piece, source + piece, is_there ? 16 : 0);
}

INLINED void end_copies(Walk* walk) {
  walk->a += BLOCK_BYTES;
  walk->b += BLOCK_BYTES;
  copies_commit();
}

// Starts the copies of the first steps. `a` and `b` are the tile's first blocks.
INLINED Walk start_walk(const __global char* a, const __global char* b, const ulong strip, const int k,
                        const uint stages) {
  Walk walk = {a, b, strip, stages, k / BLOCK_DEPTH};
#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
#pragma unroll
    for (int i = 0; i < COPIES; ++i)
      copy_piece(&walk, stages + (walk.left + STAGES - step) % STAGES * STAGE_BYTES, i, step < walk.left);
    end_copies(&walk);
  }
  return walk;
}

// Waits for the next step, and returns its stage.
INLINED uint begin_step(const Walk* walk) {
  COPIES_WAIT(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);  // all copies have arrived, and the stage that is filled next is free
  return walk->stages + walk->left % STAGES * STAGE_BYTES;
}

// Starts part `part` of `parts` of the copies that are due in this step. They stand between the products,
// because nothing is multiplied while the copies of all warps wait to be started. With all of them at the
// beginning of a step, fp16x3_mma took 9 % longer for 8192 x 8192 x 8192 with tiles of 128 x 128 (H100, 25
// November 2026).
INLINED void copy_part(const Walk* walk, const int part, const int parts) {
  const uint stage = walk->stages + (walk->left + 1) % STAGES * STAGE_BYTES;
#pragma unroll
  for (int i = 0; i < COPIES; ++i) {
    if (i * parts / COPIES == part) copy_piece(walk, stage, i, walk->left >= STAGES);
  }
}

INLINED void end_step(Walk* walk) {
  end_copies(walk);
  --walk->left;
}

// Return the address of the matrix line that this work-item names to load_matrices(). For A, the four
// matrices go by 8 rows, then by 8 of k; for B, by 8 of k, then by 8 columns.
INLINED uint a_line(void) {
  const int lane = get_local_id(0) % 32;
  return WARP_BLOCK_A * BLOCK_BYTES + lane / 8 % 2 * GROUP_BYTES + lane / 16 * CORE_BYTES + lane % 8 * 16;
}
INLINED uint b_line(void) {
  const int lane = get_local_id(0) % 32;
  return (M_BLOCKS + WARP_BLOCK_B) * BLOCK_BYTES + lane / 16 * GROUP_BYTES + lane / 8 % 2 * CORE_BYTES +
         lane % 8 * 16;
}

// Loads the fragments of a warp's columns in one plane, from b_line() on.
INLINED void load_columns(uint columns[COLUMN_STEPS / 2][4], const uint lines) {
#pragma unroll
  for (int pair = 0; pair < COLUMN_STEPS / 2; ++pair)
    load_matrices(columns[pair], lines + pair * 2 * GROUP_BYTES);
}

// Adds the products of a step to the sums, and starts the copies that are due, in parts. `a_lines` and
// `b_lines` are the lines that this work-item names to load_matrices().
INLINED void multiply_step(float sums[ROW_STEPS][COLUMN_STEPS][4], const Walk* walk, const uint a_lines,
                           const uint b_lines);

INLINED void multiply_steps(float sums[ROW_STEPS][COLUMN_STEPS][4], Walk walk) {
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS * 4; ++i)
    sums[i / (COLUMN_STEPS * 4)][i / 4 % COLUMN_STEPS][i % 4] = 0.0f;
  const uint a = a_line();
  const uint b = b_line();
  while (walk.left > 0) {
    const uint stage = begin_step(&walk);
    multiply_step(sums, &walk, stage + a, stage + b);
    end_step(&walk);
  }
  COPIES_WAIT(0);  // the last ones write zeros to memory that the sums need next
}

// The exponents of the planes' scales, from a work-item's first row and first column of C on.
typedef struct {
  const __global int* rows;
  const __global int* columns;
} Exponents;

// Scales 16 rows of a work-item's sums. They are rows number `row_step` of its tile.
static inline void scale_rows(float rows[COLUMN_STEPS][4], const Exponents exponents, const int row_step);

// The place of a tile in one matrix of the batch.
typedef struct {
  __global float* c;
  int2 tile;
} Place;

static inline Target target_at(const Place place, const ulong ldc, const int m, const int n,
                               const float alpha, const float beta) {
  const Target whole = {place.c, ldc, m, n, alpha, beta};
  return target_from(whole, place.tile.x * TILE_M, place.tile.y * TILE_N);
}

// Stores all sums, 16 rows of each warp at a time. The stages in local memory are free by then and have room
// for these rows.
static inline void store_sums(const Target target, float sums[ROW_STEPS][COLUMN_STEPS][4],
                              const Exponents exponents, __local float* memory) {
  const Target block = target_from(target, WARP_BLOCK_A * BLOCK_LINES, WARP_BLOCK_B * BLOCK_LINES);
  __local float* tile = memory + get_local_id(0) / 32 * WARP_TILE(BLOCK_LINES);
  barrier(CLK_LOCAL_MEM_FENCE);  // all warps have multiplied the last step
#pragma unroll 1
  for (int row_step = 0; row_step < ROW_STEPS; ++row_step) {
    scale_rows(sums[0], exponents, row_step);
    WARP_BARRIER;
    put_warp_rows(tile, sums[0][0], BLOCK_LINES);
    WARP_BARRIER;
    store_warp_rows(target_from(block, row_step * WARP_ROWS, 0), tile, BLOCK_LINES);
    // The sums of the next rows move up, because registers cannot be indexed. An unrolled loop would double
    // the program.
#pragma unroll
    for (int i = 0; i < (ROW_STEPS - 1) * COLUMN_STEPS * 4; ++i) {
      const int row = i / (COLUMN_STEPS * 4);
      sums[row][i / 4 % COLUMN_STEPS][i % 4] = sums[row + 1][i / 4 % COLUMN_STEPS][i % 4];
    }
  }
}
