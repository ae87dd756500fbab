// clgemm: block_2d
// summary: BM x BN x BK tiles, double-buffered in local memory, WM/8 x WN/4 results a work-item in registers
// operands: padded
// param: BM = 128 in 32 64 128 256
// param: BN = 128 in 32 64 128 256
// param: BK = 8 in 4 8 16
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
// require: 4*2*BK*(BM+4+BN) <= local_bytes

// Register blocking in both directions, after CLBlast's Xgemm and steps 5 to 10 of the CUDA matmul worklog
// (siboehm/SGEMM_CUDA). 32 neighbouring work-items share a patch of WM x WN of the tile:
//
//        WN                 a work-item has one of the patch's 8 x 4 places (common/lanes.cl) and owns 4 x 4 blocks of C
//      +--------+           that lie 32 rows and 16 columns apart, so that neighbours read neighbouring 16-byte
//   WM | 8 x 4  |           pieces of local memory
//      | items  |
//      +--------+
//
// While a tile in local memory is multiplied, the next one is on its way from global memory to registers; two
// copies of the tiles make one barrier a step enough. With AHEAD a tile has the whole step before to come, and what is read of local memory is
// read a depth ahead, of the next tile, too: beside cuBLAS's fp32, on an H200, tiles of 256 x 128 come to 1.00 at 4096 x 4096 x 4096 so,
// to .91 without, those of 128 x 128 by 128 work-items to .94 so, to .99 without. Work-groups walk C in bands of GROUP tile rows, so that those
// that run together share A and B in the cache.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(WM) || !defined(WN) || !defined(GROUP) || !defined(AHEAD)
#error "block_2d needs BM, BN, BK, WM, WN, GROUP and AHEAD"
#endif
#include "common/lanes.cl"
#include "common/store.cl"
#include "common/tile_order.cl"

#define ITEMS (BM / WM * (BN / WN) * 32)
#define BLOCKS_M (WM / 32)              // 4 x 4 blocks of one work-item, down and across
#define BLOCKS_N (WN / 16)
#define A_LOADS (BM * BK / 4 / ITEMS)   // float4 that one work-item moves for each tile
#define B_LOADS (BN * BK / 4 / ITEMS)
#define A_STRIDE (BM + 4)               // the pad spreads the transposed writes over the banks
#define STORE_AT 1                      // where in a step, by its depths, tiles go to local memory, and the next ones begin to come
#define LOAD_AT (BK / 2)
#define B_FOURS BLOCKS_N
#include "common/products.cl"

static inline void load_tiles(float4* a_next, float4* b_next, __global const float* restrict a, const ulong lda,
                              __global const float* restrict b, const ulong ldb) {
  const int item = get_local_id(0);
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int piece = item + load * ITEMS;
    a_next[load] = *(__global const float4*)(a + piece / (BK / 4) * lda + piece % (BK / 4) * 4);
  }
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) {
    const int piece = item + load * ITEMS;
    b_next[load] = *(__global const float4*)(b + piece / (BN / 4) * ldb + piece % (BN / 4) * 4);
  }
}

static inline void store_tiles(__local float4* a_tile4, __local float4* b_tile, const float4* a_next,
                               const float4* b_next) {
  const int item = get_local_id(0);
  __local float* a_tile = (__local float*)a_tile4;
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int piece = item + load * ITEMS;
    const int row = piece / (BK / 4);
    const int depth = piece % (BK / 4) * 4;
    a_tile[depth * A_STRIDE + row] = a_next[load].x;
    a_tile[(depth + 1) * A_STRIDE + row] = a_next[load].y;
    a_tile[(depth + 2) * A_STRIDE + row] = a_next[load].z;
    a_tile[(depth + 3) * A_STRIDE + row] = a_next[load].w;
  }
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) b_tile[item + load * ITEMS] = b_next[load];
}

// What a work-item multiplies of one depth.
typedef struct {
  float4 a[BLOCKS_M];
  float4 b[BLOCKS_N];
} Factors;

// Both tiles are at this work-item's first 4 elements of the depth.
static inline void load_factors(Factors* factors, const __local float4* a_tile, const __local float4* b_tile) {
#pragma unroll
  for (int block = 0; block < BLOCKS_N; ++block) factors->b[block] = b_tile[block * 4];
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block) factors->a[block] = a_tile[block * 8];
}

static inline void multiply_factors(float4 sums[BLOCKS_M * 4][BLOCKS_N], const Factors* factors) {
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block) add_products(&sums[block * 4], factors->a[block], factors->b);
}

static inline void multiply_tiles(float4 sums[BLOCKS_M * 4][BLOCKS_N], const __local float4* a_tile,
                                  const __local float4* b_tile) {
#pragma unroll
  for (int depth = 0; depth < BK; ++depth) {
    float4 b_values[BLOCKS_N];
#pragma unroll
    for (int block = 0; block < BLOCKS_N; ++block) b_values[block] = b_tile[depth * BN / 4 + block * 4];
#pragma unroll
    for (int block = 0; block < BLOCKS_M; ++block) {
      add_products(&sums[block * 4], a_tile[depth * A_STRIDE / 4 + block * 8], b_values);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  __local float4 a_tiles[2][BK * A_STRIDE / 4];  // transposed: element (row, depth) at depth * A_STRIDE + row
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

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  float4 sums[BLOCKS_M * 4][BLOCKS_N];
#pragma unroll
  for (int row = 0; row < BLOCKS_M * 4; ++row) {
#pragma unroll
    for (int block = 0; block < BLOCKS_N; ++block) sums[row][block] = (float4)(0.0f);
  }

  load_tiles(a_next, b_next, a, lda, b, ldb);
  store_tiles(a_tiles[0], b_tiles[0], a_next, b_next);
  int buffer = 0;
#if AHEAD
  if (k > BK) {
    a += BK;
    b += BK * ldb;
    load_tiles(a_next, b_next, a, lda, b, ldb);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  Factors now;
  load_factors(&now, a_tiles[0] + item_row / 4, b_tiles[0] + item_column / 4);
  for (int left = k - BK; left > 0; left -= BK) {
    const __local float4* a_tile = a_tiles[buffer] + item_row / 4;
    const __local float4* b_tile = b_tiles[buffer] + item_column / 4;
    buffer ^= 1;
#pragma unroll
    for (int depth = 0; depth < BK - 1; ++depth) {
      Factors next;
      load_factors(&next, a_tile + (depth + 1) * A_STRIDE / 4, b_tile + (depth + 1) * BN / 4);
      if (depth == STORE_AT) store_tiles(a_tiles[buffer], b_tiles[buffer], a_next, b_next);
      if (depth == LOAD_AT && left > BK) {
        a += BK;
        b += BK * ldb;
        load_tiles(a_next, b_next, a, lda, b, ldb);
      }
      multiply_factors(sums, &now);
      now = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Factors next;
    load_factors(&next, a_tiles[buffer] + item_row / 4, b_tiles[buffer] + item_column / 4);
    multiply_factors(sums, &now);
    now = next;
  }
  multiply_factors(sums, &now);
#pragma unroll 2
  for (int depth = 1; depth < BK; ++depth) {
    load_factors(&now, a_tiles[buffer] + item_row / 4 + depth * A_STRIDE / 4, b_tiles[buffer] + item_column / 4 + depth * BN / 4);
    multiply_factors(sums, &now);
  }
#else
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = k - BK; left > 0; left -= BK) {
    a += BK;
    b += BK * ldb;
    load_tiles(a_next, b_next, a, lda, b, ldb);
    multiply_tiles(sums, a_tiles[buffer] + item_row / 4, b_tiles[buffer] + item_column / 4);
    buffer ^= 1;
    store_tiles(a_tiles[buffer], b_tiles[buffer], a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  multiply_tiles(sums, a_tiles[buffer] + item_row / 4, b_tiles[buffer] + item_column / 4);
#endif

  // With 16 x 8 results a work-item has no registers left: where it asks for each four how it lies, 4096 x 4096 x 4096 takes 4.1 ms
  // on an H200, and 2.8 where it does not.
#pragma unroll
  for (int row = 0; row < BLOCKS_M * 4; ++row) {
#pragma unroll
    for (int block = 0; block < BLOCKS_N; ++block) {
      const int c_row = tile.x * BM + item_row + row / 4 * 32 + row % 4;
      const int c_column = tile.y * BN + item_column + block * 16;
      if (BLOCKS_M * BLOCKS_N > 4) {
        store4_c_anywhere(c, ldc, m, n, c_row, c_column, alpha, sums[row][block], beta);
      } else {
        store4_c(c, ldc, m, n, c_row, c_column, alpha, sums[row][block], beta);
      }
    }
  }
}
