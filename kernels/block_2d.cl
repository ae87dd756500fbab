// clgemm: block_2d
// summary: BM x BN x BK tiles, double-buffered in local memory, WM/8 x WN/4 results a work-item in registers
// operands: padded
// param: BM = 128 in 32 64 128 256
// param: BN = 128 in 32 64 128 256
// param: BK = 8 in 8 16
// param: WM = 128 in 32 64 128
// param: WN = 32 in 16 32 64
// param: GROUP = 8 in 1 4 8 16
// param: AHEAD = 0 in 0 1
// tile: BM BN BK
// local: BM/WM*(BN/WN)*32
// grid: tiles
// align: 4
// require: BM % WM == 0 && BN % WN == 0
// require: BM*BK % (BM/WM*(BN/WN)*128) == 0 && BN*BK % (BM/WM*(BN/WN)*128) == 0
// require: 4*2*BK*(BM+BN) <= local_bytes
// results: WM*WN/32 + AHEAD*BK*(BM+BN)/(BM/WM*(BN/WN)*32)
// into_local: BM+BN
// stores: 4
// stands_in: defaults
// calibrate_if: is_cpu == 0
// calibrate: BM BN BK WM WN GROUP AHEAD: 256 128 8 128 32 8 1, 128 256 16 128 32 8 1, 128 128 16 128 32 8 1
// calibrate: BM BN BK WM WN GROUP AHEAD: 128 64 16 64 32 8 1, 64 128 16 64 32 8 1, 64 64 16 64 32 8 1
// calibrate: BM BN BK WM WN GROUP AHEAD: 64 64 16 64 16 8 1, 32 64 8 32 32 8 1, 32 32 8 32 32 8 1
// calibrate: BM BN BK WM WN GROUP AHEAD: 128 128 8 128 32 8 0, 64 64 16 64 16 8 0

// Register blocking in both directions, after CLBlast's Xgemm and steps 5 to 10 of the CUDA matmul worklog
// (siboehm/SGEMM_CUDA). 32 neighbouring work-items share a patch of WM x WN of the tile:
//
//        WN
//      +--------+           A work-item has one of the patch's 8 x 4 places (common/lanes.cl) and owns
//   WM | 8 x 4  |           4 x 4 blocks of C. The blocks lie 32 rows and 16 columns apart, so that
//      | items  |           neighbours read neighbouring 16-byte pieces of local memory.
//      +--------+
//
// Because there are two copies of the tiles, one barrier per step is enough: while one copy is multiplied,
// the next one arrives through registers. With AHEAD, the next tile goes from registers to local memory
// within the step, and then the loads of the tile after it begin. So each has most of a step's time. Local
// memory is then read one depth ahead, even across the end of a tile.
//
// CPUs are faster without AHEAD, because registers that must survive a barrier are memory there. 512 x 512 x
// 512 reaches 65 GFLOP/s without and 10 with AHEAD (2 cores of an EPYC with PoCL, November 2026). Work-groups
// walk C in bands of GROUP tile rows, so that those that run together share A and B in the cache.
//
// `stores`: if the lines of C are not multiples of four, this kernel takes 161 us for 6860 x 5517 x 16 and
// 247 us for 8268 x 8370 x 32. `direct` takes 68 and 154 us (H200, November 2026).
//
// `stands_in`: if a CPU's compiler rejects `panels`, this kernel takes 0.02 s for 1024 x 1024 x 1024 on two
// AVX-512 cores. The config that runs anywhere takes 2.1 s (November 2026).
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(WM) || !defined(WN) || !defined(GROUP) || \
    !defined(AHEAD)
#error "block_2d needs BM, BN, BK, WM, WN, GROUP and AHEAD"
#endif
#include "common/arguments.cl"
#include "common/lanes.cl"
#include "common/store.cl"
#include "common/sub_group.cl"
#include "common/tile_order.cl"

#define ITEMS (BM / WM * (BN / WN) * 32)
#define BLOCKS_M (WM / 32)              // 4 x 4 blocks of one work-item, down and across
#define BLOCKS_N (WN / 16)
#define A_LOADS (BM * BK / 4 / ITEMS)   // float4 that one work-item moves for each tile
#define B_LOADS (BN * BK / 4 / ITEMS)
#define B_FOURS BLOCKS_N
#include "common/products.cl"

// The depths of a step at which tiles go to local memory, and at which the next loads begin. The table has
// the speed relative to cuBLAS's fp32 with tiles of 256 x 128 x 8 (H200, November 2026).
//
//     size           2048   3072   4096
//     these depths   1.01   1.05   1.01
//     2, 5, 6, 6     1.00   1.03   0.99
//     2, 3, 5, 6     0.99   1.03   0.99
#define STORE_A_AT (2 * BK / 8)
#define STORE_B_AT (4 * BK / 8)
#define LOAD_A_AT (5 * BK / 8)
#define LOAD_B_AT (6 * BK / 8)

// Returns the XOR by which A's tile is swizzled. The tile is transposed: element (row, depth) is at depth *
// BM + (row ^ swizzle(depth)). Neighbours write groups of four depths, and the swizzle puts these into
// different banks.
static inline int swizzle(const int depth) {
  return depth / 4 * (128 / BK);
}

static inline void load_a(float4 next[A_LOADS], __global const float* restrict a, const ulong lda) {
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int piece = get_local_id(0) + load * ITEMS;
    next[load] = *(__global const float4*)(a + piece / (BK / 4) * lda + piece % (BK / 4) * 4);
  }
}

static inline void load_b(float4 next[B_LOADS], __global const float* restrict b, const ulong ldb) {
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) {
    const int piece = get_local_id(0) + load * ITEMS;
    next[load] = *(__global const float4*)(b + piece / (BN / 4) * ldb + piece % (BN / 4) * 4);
  }
}

static inline void store_a(__local float4* tile, const float4 next[A_LOADS]) {
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int piece = get_local_id(0) + load * ITEMS;
    const int depth = piece % (BK / 4) * 4;
    __local float* to = (__local float*)tile + depth * BM + (piece / (BK / 4) ^ swizzle(depth));
    to[0] = next[load].x;
    to[BM] = next[load].y;
    to[2 * BM] = next[load].z;
    to[3 * BM] = next[load].w;
  }
}

static inline void store_b(__local float4* tile, const float4 next[B_LOADS]) {
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) tile[get_local_id(0) + load * ITEMS] = next[load];
}

// The elements of one depth that go into a work-item's products.
typedef struct {
  float4 a[BLOCKS_M];
  float4 b[BLOCKS_N];
} Factors;

// Loads the factors of one depth. This work-item's float4 in the tiles begin at `a_four` and `b_four`.
static inline void load_factors(Factors* factors, const __local float4* a_tile, const int a_four,
                                const __local float4* b_tile, const int b_four, const int depth) {
#pragma unroll
  for (int block = 0; block < BLOCKS_N; ++block)
    factors->b[block] = b_tile[depth * (BN / 4) + b_four + block * 4];
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block) {
    factors->a[block] = a_tile[depth * (BM / 4) + (a_four ^ swizzle(depth) / 4) + block * 8];
  }
}

static inline void multiply_factors(float4 sums[BLOCKS_M * 4][BLOCKS_N], const Factors* factors) {
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block)
    add_products(&sums[block * 4], factors->a[block], factors->b);
}

static inline void multiply_depths(float4 sums[BLOCKS_M * 4][BLOCKS_N], const __local float4* a_tile,
                                   const int a_four, const __local float4* b_tile, const int b_four,
                                   const int first) {
#pragma unroll
  for (int depth = 0; depth < BK / 2; ++depth) {
    Factors factors;
    load_factors(&factors, a_tile, a_four, b_tile, b_four, first + depth);
    multiply_factors(sums, &factors);
  }
}

// Multiplies a tile in two halves, because Intel's compiler (ocloc 22.43) unrolls no loop of more than 256
// multiply-adds. For tiles of 64 x 64 x 16, multiply-adds are 75 % of the instructions that a DG2 issues. In
// one loop they are 64 % (November 2026).
static inline void multiply_tiles(float4 sums[BLOCKS_M * 4][BLOCKS_N], const __local float4* a_tile,
                                  const int a_four, const __local float4* b_tile, const int b_four) {
  multiply_depths(sums, a_tile, a_four, b_tile, b_four, 0);
  multiply_depths(sums, a_tile, a_four, b_tile, b_four, BK / 2);
}

// The place of a work-item's group of four number `i`, from the work-item's first element on.
#define FOURS (BLOCKS_M * 4 * BLOCKS_N)
#define ROW_OF_FOUR(i) ((i) / BLOCKS_N / 4 * 32 + (i) / BLOCKS_N % 4)
#define COLUMN_OF_FOUR(i) ((i) % BLOCKS_N * 16)

// Stores groups of four that are all aligned and complete. If there is a beta, C is loaded for FOURS_AHEAD
// groups before they are stored. 4096 x 4096 x 64 takes 87 us this way, 94 us with four groups, and 140 us if
// each group is loaded just before it is stored (H200, November 2026).
//
// Without AHEAD, eight groups would take more registers than the loop, by clang's count.
#define FOURS_AHEAD (AHEAD && FOURS >= 8 ? 8 : 4)
static inline void store_by_fours(__global float* restrict c, const ulong ldc, const int rows,
                                  const int columns, const float alpha,
                                  const float4 sums[BLOCKS_M * 4][BLOCKS_N], const float beta) {
#pragma unroll
  for (int first = 0; first < FOURS; first += FOURS_AHEAD) {
    float4 before[FOURS_AHEAD];
#pragma unroll
    for (int i = first; i < first + FOURS_AHEAD; ++i) {
      before[i - first] = (float4)(0.0f);
      if (beta != 0.0f && ROW_OF_FOUR(i) < rows && COLUMN_OF_FOUR(i) < columns)
        before[i - first] = *(__global const float4*)(c + ROW_OF_FOUR(i) * ldc + COLUMN_OF_FOUR(i));
    }
#pragma unroll
    for (int i = first; i < first + FOURS_AHEAD; ++i) {
      if (ROW_OF_FOUR(i) >= rows || COLUMN_OF_FOUR(i) >= columns) continue;
      const float4 scaled = alpha * sums[i / BLOCKS_N][i % BLOCKS_N];
      *(__global float4*)(c + ROW_OF_FOUR(i) * ldc + COLUMN_OF_FOUR(i)) =
          beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), before[i - first], scaled);
    }
  }
}

// Stores to C from this work-item's first element on. `rows` and `columns` are what C has from there. If all
// groups of four of C are aligned and complete, they are stored as float4. Single elements would take 2.5 %
// longer for 3072 x 3072 x 3072. The function checks this once. One check for each float4 left no registers
// for 16 x 8 results per work-item, and 4096 x 4096 x 4096 took 4.1 ms instead of 2.8 (H200, November 2026).
static inline void store_sums(__global float* restrict c, const ulong ldc, const int rows, const int columns,
                              const float alpha, const float4 sums[BLOCKS_M * 4][BLOCKS_N],
                              const float beta) {
  if ((ldc % 4 | (ulong)(columns % 4) | (ulong)c % 16) == 0) {
    store_by_fours(c, ldc, rows, columns, alpha, sums, beta);
    return;
  }
#pragma unroll
  for (int i = 0; i < FOURS; ++i) {
    store4_c_anywhere(c, ldc, rows, columns, ROW_OF_FOUR(i), COLUMN_OF_FOUR(i), alpha,
                      sums[i / BLOCKS_N][i % BLOCKS_N], beta);
  }
}

__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 a_tiles[2][BK * BM / 4];
  __local float4 b_tiles[2][BK * BN / 4];
  const int item = get_local_id(0);
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + (ulong)(tile.x * BM) * lda;
  b += b_offset + batch * b_stride + tile.y * BN;
  c += c_offset + batch * c_stride;

  const int patch = item / 32;
  const int place = patch_order(item);
  const int item_row = patch / (BN / WN) * WM + place / 4 * 4;
  const int item_column = patch % (BN / WN) * WN + place % 4 * 4;
  const int a_four = item_row / 4;
  const int b_four = item_column / 4;

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  float4 sums[BLOCKS_M * 4][BLOCKS_N];
#pragma unroll
  for (int row = 0; row < BLOCKS_M * 4; ++row) {
#pragma unroll
    for (int block = 0; block < BLOCKS_N; ++block) sums[row][block] = (float4)(0.0f);
  }

  load_a(a_next, a, lda);
  load_b(b_next, b, ldb);
  store_a(a_tiles[0], a_next);
  store_b(b_tiles[0], b_next);
  int buffer = 0;
#if AHEAD
  if (k > BK) {
    a += BK;
    b += BK * ldb;
    load_a(a_next, a, lda);
    load_b(b_next, b, ldb);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  Factors now;
  load_factors(&now, a_tiles[0], a_four, b_tiles[0], b_four, 0);
  for (int left = k - BK; left > 0; left -= BK) {
    const __local float4* a_tile = a_tiles[buffer];
    const __local float4* b_tile = b_tiles[buffer];
    buffer ^= 1;
#pragma unroll
    for (int depth = 0; depth < BK - 1; ++depth) {
      Factors next;
      load_factors(&next, a_tile, a_four, b_tile, b_four, depth + 1);
      if (depth == STORE_A_AT) store_a(a_tiles[buffer], a_next);
      if (depth == STORE_B_AT) store_b(b_tiles[buffer], b_next);
      if (depth == LOAD_A_AT && left > BK) {
        a += BK;
        load_a(a_next, a, lda);
      }
      if (depth == LOAD_B_AT && left > BK) {
        b += BK * ldb;
        load_b(b_next, b, ldb);
      }
      multiply_factors(sums, &now);
      now = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Factors next;
    load_factors(&next, a_tiles[buffer], a_four, b_tiles[buffer], b_four, 0);
    multiply_factors(sums, &now);
    now = next;
  }

  // The last tile. If it were unrolled, it would cost compilers as much time as the loop.
  multiply_factors(sums, &now);
#pragma unroll 2
  for (int depth = 1; depth < BK; ++depth) {
    load_factors(&now, a_tiles[buffer], a_four, b_tiles[buffer], b_four, depth);
    multiply_factors(sums, &now);
  }
#else
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = k - BK; left > 0; left -= BK) {
    a += BK;
    b += BK * ldb;
    load_a(a_next, a, lda);
    load_b(b_next, b, ldb);
    multiply_tiles(sums, a_tiles[buffer], a_four, b_tiles[buffer], b_four);
    buffer ^= 1;
    store_a(a_tiles[buffer], a_next);
    store_b(b_tiles[buffer], b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  multiply_tiles(sums, a_tiles[buffer], a_four, b_tiles[buffer], b_four);
#endif

  const int first_row = tile.x * BM + item_row;
  const int first_column = tile.y * BN + item_column;
  store_sums(c + first_row * ldc + first_column, ldc, m - first_row, n - first_column, alpha, sums, beta);
}
