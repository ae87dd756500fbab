// GEMM with mma.sync, the instruction that every tensor core has had since Turing. A warp computes 64 x
// WARP_COLUMNS of the tile, 16 rows at a time. It loads fragments from local memory with ldmatrix, and copies
// keep STAGES steps of 16 along k there. The atom is the instruction and the way of copying:
// common/mma_k16.cl for Ampere and later, or common/mma_k8.cl for Turing if MMA_K8 is defined. The including
// file defines multiply_step() and scale_rows(), which do what its form of planes needs.
//
// The loop needs all registers that a work-item can have on an A100. So the place of the tile, which only the
// stores need again, waits in local memory. In registers it made clang and ptxas spill 16 bytes of fp16x3_mma
// and 32 bytes of bf16x6_mma.
#include "common/nvidia.cl"
#include "common/tensor_store.cl"
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STAGES) || !defined(PLANES)
#error "a multiply by mma needs TILE_M, TILE_N, STAGES and a form of planes"
#endif

#if defined(MMA_K8)
#define WARP_COLUMNS 32
#else
#define WARP_COLUMNS 64
#endif
#define M_BLOCKS (TILE_M / BLOCK_LINES)
#define N_BLOCKS (TILE_N / BLOCK_LINES)
#define WARPS_ACROSS (TILE_N / WARP_COLUMNS)
#define ITEMS (M_BLOCKS * WARPS_ACROSS * 32)
#define STAGE_BYTES ((M_BLOCKS + N_BLOCKS) * BLOCK_BYTES)
#define BLOCK_COPIES (BLOCK_BYTES / 16 / ITEMS)  // by one work-item
#define COPIES ((M_BLOCKS + N_BLOCKS) * BLOCK_COPIES)
#define ROW_STEPS (BLOCK_LINES / 16)             // a warp's 64 rows, 16 at a time
#define COLUMN_STEPS (WARP_COLUMNS / 8)
#define WARP_BLOCK_A (get_local_id(0) / 32 / WARPS_ACROSS)  // which 64 rows of the tile a warp computes
#define WARP_COLUMN (get_local_id(0) / 32 % WARPS_ACROSS * WARP_COLUMNS)  // its first column
#define WARP_BLOCK_B (WARP_COLUMN / BLOCK_LINES)
#define INLINED static inline __attribute__((always_inline))  // inlined, so that arrays can live in registers

// A work-item's way along k: the next blocks to copy, and the number of steps left to multiply. A step's
// stage is the number of steps from there to the end, modulo STAGES, so no register has to count stages.
typedef struct {
  const __global char* a;
  const __global char* b;
  ulong strip;  // bytes from one strip to the next
  uint stages;
  int left;
} Walk;

// Return the addresses of piece number i of the COPIES that a work-item copies for a step: strips of A, then
// of B, each contiguous in both memories.
INLINED const __global char* source_of_piece(const Walk* walk, const int i) {
  const int block = i / BLOCK_COPIES;
  const __global char* blocks =
      block < M_BLOCKS ? walk->a + block * walk->strip : walk->b + (block - M_BLOCKS) * walk->strip;
  return blocks + i % BLOCK_COPIES * ITEMS * 16 + get_local_id(0) * 16;
}
INLINED uint place_of_piece(const uint stage, const int i) {
  return stage + i / BLOCK_COPIES * BLOCK_BYTES + i % BLOCK_COPIES * ITEMS * 16 + get_local_id(0) * 16;
}

#if defined(MMA_K8)
#include "common/mma_k8.cl"
#else
#include "common/mma_k16.cl"
#endif

// Starts the copies of the first steps. `a` and `b` are the tile's first blocks.
INLINED Walk start_walk(const __global char* a, const __global char* b, const ulong strip, const int k,
                        const uint stages) {
  Walk walk = {a, b, strip, stages, k / BLOCK_DEPTH};
#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
    const uint stage = stages + (walk.left + STAGES - step) % STAGES * STAGE_BYTES;
#pragma unroll
    for (int i = 0; i < COPIES; ++i) {
      Piece piece;
      begin_copy(&piece, &walk, stage, i, step < walk.left);
      end_copy(&piece, stage, i);
    }
    next_copies(&walk, step + 1 < walk.left);
  }
  return walk;
}

// Waits for the next step, and returns its stage.
INLINED uint begin_step(const Walk* walk) {
  WAIT_FOR_COPIES(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);  // all copies have arrived, and the stage that is filled next is free
  return walk->stages + walk->left % STAGES * STAGE_BYTES;
}

// The pieces that are copied beside the products of 16 rows.
#define ROW_COPIES ((COPIES + ROW_STEPS - 1) / ROW_STEPS)
typedef struct {
  Piece pieces[ROW_COPIES];
} Pieces;

INLINED uint stage_to_fill(const Walk* walk) {
  return walk->stages + (walk->left + 1) % STAGES * STAGE_BYTES;
}

// Begins and ends the copies that are due beside the products of 16 rows. They stand between the products,
// because nothing is multiplied while the copies of all warps wait to be started. With all of them at the
// beginning of a step, fp16x3_mma took 9 % longer for 8192 x 8192 x 8192 with tiles of 128 x 128 (H100, 25
// November 2026).
INLINED void begin_copies(Pieces* pieces, const Walk* walk, const int row_step) {
#pragma unroll
  for (int i = 0; i < ROW_COPIES; ++i) {
    const int piece = row_step * ROW_COPIES + i;
    if (piece < COPIES)
      begin_copy(&pieces->pieces[i], walk, stage_to_fill(walk), piece, walk->left >= STAGES);
  }
}
INLINED void end_copies(const Pieces* pieces, const Walk* walk, const int row_step) {
#pragma unroll
  for (int i = 0; i < ROW_COPIES; ++i) {
    const int piece = row_step * ROW_COPIES + i;
    if (piece < COPIES) end_copy(&pieces->pieces[i], stage_to_fill(walk), piece);
  }
}

INLINED void end_step(Walk* walk) {
  next_copies(walk, walk->left > STAGES);
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
  return (M_BLOCKS + WARP_BLOCK_B) * BLOCK_BYTES + (WARP_COLUMN % BLOCK_LINES / 8 + lane / 16) * GROUP_BYTES +
         lane / 8 % 2 * CORE_BYTES + lane % 8 * 16;
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
  WAIT_FOR_COPIES(0);  // the last ones write to memory that the sums need next
}

// The exponents of the planes' scales, from a work-item's first row and first column of C on.
typedef struct {
  const __global int* rows;
  const __global int* columns;
} Exponents;

// Scales 16 rows of a work-item's sums. They are rows number `row_step` of its tile.
static inline void scale_rows(float rows[COLUMN_STEPS][4], const Exponents exponents, const int row_step);

// The place of a tile in one matrix of the batch, and its first strips of A and B.
typedef struct {
  __global float* c;
  const __global char* a;
  const __global char* b;
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
  const Target block = target_from(target, WARP_BLOCK_A * BLOCK_LINES, WARP_COLUMN);
  __local float* tile = memory + get_local_id(0) / 32 * WARP_TILE(WARP_COLUMNS);
  barrier(CLK_LOCAL_MEM_FENCE);  // all warps have multiplied the last step
#pragma unroll 1
  for (int row_step = 0; row_step < ROW_STEPS; ++row_step) {
    scale_rows(sums[0], exponents, row_step);
    WARP_BARRIER;
    put_warp_rows(tile, sums[0][0], WARP_COLUMNS);
    WARP_BARRIER;
    store_warp_rows(target_from(block, row_step * WARP_ROWS, 0), tile, WARP_COLUMNS);
    // The sums of the next rows move up, because registers cannot be indexed. An unrolled loop would double
    // the program.
#pragma unroll
    for (int i = 0; i < (ROW_STEPS - 1) * COLUMN_STEPS * 4; ++i) {
      const int row = i / (COLUMN_STEPS * 4);
      sums[row][i / 4 % COLUMN_STEPS][i % 4] = sums[row + 1][i / 4 % COLUMN_STEPS][i % 4];
    }
  }
}
