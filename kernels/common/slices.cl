// Computes a tile of C with a work-group whose slices share each step along k ("slice-K" in CUTLASS). A tile
// in local memory is DEPTH * SLICES deep, and each slice of the work-group multiplies DEPTH of it. A
// work-item has TM x TN results of the whole tile of C. So a small tile of C keeps a large work-group busy,
// with large blocks in registers. At the end all sums go to local memory. There the slices are added up,
// always in the same order.
//
// The work-items of a slice are numbered in the order of common/lanes.cl: 4 across, then down the tile, then
// the next 4 columns. The results of a work-item are TM/4 x TN/4 blocks of 4 x 4. The blocks are spread over
// the tile, so that neighbours read neighbouring 16-byte pieces of local memory.
#if !defined(BM) || !defined(BN) || !defined(TM) || !defined(TN) || !defined(DEPTH) || !defined(SLICES) || \
    !defined(COPIES) || !defined(A_WIDTH) || !defined(B_WIDTH)
#error "common/slices.cl needs BM, BN, TM, TN, DEPTH, SLICES, COPIES, A_WIDTH and B_WIDTH"
#endif
#if DEPTH % 8 != 0
#error "common/slices.cl needs a DEPTH of whole eights, by which it divides a step"
#endif

// The depths of a step whose code is written out. Kernels that multiply this way only for rare numbers write
// out fewer, because the driver takes long to compile them.
#if !defined(UNROLLED_DEPTHS)
#define UNROLLED_DEPTHS DEPTH
#endif

// There are three tiles of each operand in local memory. Asynchronous copies fill them two steps ahead.
#define ASYNC (COPIES == 3)

// The barrier is for the work-items that share a tile. Other work-items of the work-group may do something
// else.
#if !defined(SLICES_BARRIER)
#define SLICES_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

#define DOWN (BM / TM)  // work-items of a slice
#define ACROSS (BN / TN)
#define SLICE_ITEMS (DOWN * ACROSS)
#define ITEMS (SLICE_ITEMS * SLICES)
#define BK (DEPTH * SLICES)
#define A_STRIDE (BM + 4)       // the padding spreads transposed writes over the banks
#define B_STRIDE (BN + 4)
#define A_SIZE (BK * A_STRIDE)
#define STAGE_SIZE (A_SIZE + BK * B_STRIDE)  // a tile of A and one of B
#define TILES_SIZE (COPIES * STAGE_SIZE)
#define SUMS_ROWS (4 * DOWN)    // rows of C whose slices are added up at a time, four of each work-item
#define SUMS_STRIDE (BN + 4)
#define SUMS_SIZE (SLICES * SUMS_ROWS * SUMS_STRIDE)
#define SLICES_MEMORY (TILES_SIZE > SUMS_SIZE ? TILES_SIZE : SUMS_SIZE)  // floats

#define B_FOURS (TN / 4)
#include "common/lanes.cl"
#include "common/products.cl"
#include "common/store.cl"
#include "common/tile.cl"
DEFINE_TILE(a, BM, TRANSPOSE_A, A_WIDTH)
DEFINE_TILE(b, BN, !TRANSPOSE_B, B_WIDTH)

static inline int order_of(const int item) {
  return SLICE_ITEMS % 32 == 0 ? (item & ~31) | patch_order(item) : item;
}

// Return the position of a work-item's first 4 x 4 block, counted in blocks.
static inline int row_of(const int item) {
  return order_of(item) / 4 % DOWN;
}

static inline int column_of(const int item) {
  return order_of(item) / 4 / DOWN * 4 + order_of(item) % 4;
}

// The elements of one depth that go into a work-item's products.
typedef struct {
  float4 a[TM / 4];
  float4 b[TN / 4];
} Factors;

// Loads the factors of one depth. Both tiles point to the first 4 elements of this work-item.
static inline void load_factors(Factors* factors, const __local float4* a_tile,
                                const __local float4* b_tile) {
#pragma unroll
  for (int block = 0; block < TN / 4; ++block) factors->b[block] = b_tile[block * ACROSS];
#pragma unroll
  for (int block = 0; block < TM / 4; ++block) factors->a[block] = a_tile[block * DOWN];
}

static inline void multiply_factors(float4 sums[TM][TN / 4], const Factors* factors) {
#pragma unroll
  for (int block = 0; block < TM / 4; ++block) add_products(&sums[block * 4], factors->a[block], factors->b);
}

static inline void clear(float4 sums[TM][TN / 4]) {
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int block = 0; block < TN / 4; ++block) sums[row][block] = (float4)(0.0f);
  }
}

// Multiplies the last tile; `now` has its first depth. If it were unrolled, it would cost compilers as much
// time as the loop.
static inline void multiply_last(float4 sums[TM][TN / 4], Factors* now, const __local float4* a_tile,
                                 const __local float4* b_tile) {
  multiply_factors(sums, now);
#pragma unroll 2
  for (int depth = 1; depth < DEPTH; ++depth) {
    load_factors(now, a_tile + depth * (A_STRIDE / 4), b_tile + depth * (B_STRIDE / 4));
    multiply_factors(sums, now);
  }
}

#if ASYNC
#include "common/slices_async.cl"
#else
// The depths of a step at which a work-item stores tiles from registers to local memory, and loads the next
// tiles from global memory. Operands that are read as float4 need few registers. Their elements stay there
// from one step to the next (STAYS), so the loads have a whole step to arrive. Other operands are loaded and
// stored within one step.
//
// The figures are for 16 shapes on an H200, relative to cuBLAS's fp32 (November 2026). The 6 shapes whose
// operands are read as float4 reached 0.99 with all loads at the beginning of a step and all stores at its
// end, and reach 1.05 in this order. The other 10 shapes reached 1.00, and reach 1.04. They were slower if
// their elements stayed, too.
//
// Only NVIDIA's GPUs use STAYS, because no others were measured. Intel's compiler of 2022 (ocloc 22.43,
// Debian 12) crashes on loads under a condition in the loop, for example with tiles of 16 x 64 or 32 x 64.
// The whole process ends with it.
#if defined(__NV_CL_C_VERSION)
#define STAYS (A_WIDTH == 4 && B_WIDTH == 4 && COPIES == 2)
#else
#define STAYS 0
#endif
#if STAYS
#define STORE_A_AT (DEPTH / 8)
#define STORE_B_AT (3 * DEPTH / 8)
#define LOAD_A_AT (4 * DEPTH / 8)
#define LOAD_B_AT (6 * DEPTH / 8)
#else
#define LOAD_A_AT 1
#define LOAD_B_AT 0
#define STORE_A_AT (COPIES == 1 ? DEPTH - 2 : DEPTH - 3)  // with one copy, after all its factors are read
#define STORE_B_AT (COPIES == 1 ? DEPTH - 2 : DEPTH - 4)
#endif

// Adds up the products along k in registers. Factors are read one depth ahead, even across the end of a tile.
// The products of a tile's last depth therefore wait until after the barrier. So an H200 has products to
// begin with while it waits for local memory.
static inline void multiply_slices(float4 sums[TM][TN / 4], __local float4* memory, const Lines a_lines,
                                   const Lines b_lines) {
  clear(sums);
  const int slice = get_local_id(0) / SLICE_ITEMS;
  const int item = get_local_id(0) % SLICE_ITEMS;

  // The first step along k may be shorter, so that no other step has to check the end of k.
  int steps_left = (a_lines.depth_left - 1) / BK;
  const int first_depth = a_lines.depth_left - steps_left * BK;
  a_tile a = a_tile_from(a_lines, 0, A_STRIDE);
  b_tile b = b_tile_from(b_lines, A_SIZE, B_STRIDE);
  load_a_tile(&a, first_depth);
  load_b_tile(&b, first_depth);
  store_a_tile(&a, (__local float*)memory, A_STRIDE);
  store_b_tile(&b, (__local float*)memory, B_STRIDE);
  if (STAYS && steps_left > 0) {
    load_a_tile(&a, BK);
    load_b_tile(&b, BK);
  }

  // All addresses change from step to step. Otherwise compilers would compute them again in each step.
  int a_place = slice * DEPTH * A_STRIDE / 4 + row_of(item);
  int b_place = (A_SIZE + slice * DEPTH * B_STRIDE) / 4 + column_of(item);
  int to_next = COPIES == 1 ? 0 : STAGE_SIZE;
  SLICES_BARRIER;
  Factors now;
  load_factors(&now, memory + a_place, memory + b_place);
  for (; steps_left > 0; --steps_left) {
#pragma unroll UNROLLED_DEPTHS
    for (int depth = 0; depth < DEPTH - 1; ++depth) {
      if (!STAYS && depth == LOAD_A_AT) load_a_tile(&a, BK);
      if (!STAYS && depth == LOAD_B_AT) load_b_tile(&b, BK);
      Factors next;
      load_factors(&next, memory + a_place + (depth + 1) * (A_STRIDE / 4),
                   memory + b_place + (depth + 1) * (B_STRIDE / 4));
      if (COPIES == 1 && depth == DEPTH - 2) SLICES_BARRIER;
      if (depth == STORE_A_AT) {
        a.to += to_next;
        store_a_tile(&a, (__local float*)memory, A_STRIDE);
      }
      if (depth == STORE_B_AT) {
        b.to += to_next;
        store_b_tile(&b, (__local float*)memory, B_STRIDE);
      }
      // These loads reuse the registers that have just been stored.
      if (STAYS && depth == LOAD_A_AT && steps_left > 1) load_a_tile(&a, BK);
      if (STAYS && depth == LOAD_B_AT && steps_left > 1) load_b_tile(&b, BK);
      multiply_factors(sums, &now);
      now = next;
    }
    a_place += to_next / 4;
    b_place += to_next / 4;
    to_next = -to_next;
    SLICES_BARRIER;
    Factors next;
    load_factors(&next, memory + a_place, memory + b_place);
    multiply_factors(sums, &now);
    now = next;
  }

  multiply_last(sums, &now, memory + a_place, memory + b_place);
}
#endif

// Adds up the slices and stores the results, one row of blocks of each work-item at a time. direct.cl has a
// faster way, but with PoCL 3.1 and 6 its results are sometimes wrong. Oclgrind finds neither a race nor a
// stray access in it. Kernels that also run on CPUs use this function.
static inline void store_slices(float4 sums[TM][TN / 4], __local float4* memory, __global float* c,
                                const ulong ldc, const int m, const int n, const int first_row,
                                const int first_column, const float alpha, const float beta) {
  const int slice = get_local_id(0) / SLICE_ITEMS;
  const int item = get_local_id(0) % SLICE_ITEMS;
#pragma unroll
  for (int first = 0; first < TM * TN / 4; first += TN) {
    SLICES_BARRIER;
#pragma unroll
    for (int i = 0; i < TN; ++i) {
      memory[(slice * TN + i) * SLICE_ITEMS + item] = sums[(first + i) / (TN / 4)][(first + i) % (TN / 4)];
    }
    SLICES_BARRIER;
#pragma unroll 1
    for (int place = get_local_id(0); place < TN * SLICE_ITEMS; place += ITEMS) {
      float4 sum = memory[place];
#pragma unroll
      for (int other = 1; other < SLICES; ++other) sum += memory[other * TN * SLICE_ITEMS + place];
      const int four = first + place / SLICE_ITEMS;
      const int row = first_row + (four / TN * DOWN + row_of(place % SLICE_ITEMS)) * 4 + four / (TN / 4) % 4;
      const int column = first_column + (four % (TN / 4) * ACROSS + column_of(place % SLICE_ITEMS)) * 4;
      store4_c(c, ldc, m, n, row, column, alpha, sum, beta);
    }
  }
}
