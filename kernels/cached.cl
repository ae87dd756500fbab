// clgemm: cached
// summary: TM x TN results per work-item, A and B by vectors through the caches, no local memory
// operands: in_place
// param: TM = 8 in 4 8
// param: TN = 4 in 4 8
// param: DEPTH = 2 in 2 4
// param: DOWN = 4 in 2 4 8 16
// param: ACROSS = 16 in 4 8 16 32
// tile: DOWN*TM ACROSS*TN DEPTH
// local: DOWN*ACROSS
// grid: tiles
// batch: 1
// estimate: TM TN DEPTH: 8 4 2, 4 4 4; DOWN ACROSS: 8 16, 4 16, 8 8, 4 8, 2 8
// calibrate_if: local_in_global
// calibrate: TM TN DEPTH: 8 4 2, 8 4 4, 4 8 2, 4 4 4; DOWN ACROSS: 2 8, 4 8, 4 16, 8 8, 8 16

// For GPUs whose local memory is a part of global memory, like Mali. A copy in local memory is no faster to
// read there than the caches, and it costs a store, a load and a barrier. This kernel was not measured on
// such a GPU.
// Neighbouring work-items have neighbouring groups of four columns, and the same rows. So a sub-group reads B
// in whole cache lines, and each element of A once for all its work-items. A step reads DEPTH elements along
// k.
//
// Mali has 64 registers for each work-item. With TM = 8, TN = 4 and DEPTH = 2, the 32 sums, 8 elements of B
// and 2 of A take 42 registers. With DEPTH = 4 too few are left for the addresses (docs/platforms.md).
#if !defined(TM) || !defined(TN) || !defined(DEPTH) || !defined(DOWN) || !defined(ACROSS)
#error "cached needs TM, TN, DEPTH, DOWN and ACROSS"
#endif
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "operands: in_place needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#define B_FOURS (TN / 4)

#include "common/arguments.cl"
#include "common/batch.cl"
#include "common/products.cl"
#include "common/store.cl"
#include "common/tile_order.cl"
#define WIDTH DEPTH
#include "common/vector.cl"
#define LOAD_DEPTHS JOIN(vload, DEPTH)

// Loads DEPTH elements along k of four columns: fours[i] has the four at depth i.
static inline void load_b(float4 fours[DEPTH], __global const float* b, const ulong ldb) {
  vector_t columns[4];
#pragma unroll
  for (int i = 0; TRANSPOSE_B && i < 4; ++i) columns[i] = LOAD_DEPTHS(0, b + i * ldb);
  const float* elements = (const float*)columns;
#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
    fours[i] = TRANSPOSE_B
                   ? (float4)(elements[i], elements[DEPTH + i], elements[2 * DEPTH + i],
                              elements[3 * DEPTH + i])
                   : vload4(0, b + i * ldb);
  }
}

// Adds the products of DEPTH steps along k. `a` and `b` point to the first of them.
static inline void add_depths(float4 sums[TM][B_FOURS], __global const float* a, const ulong lda,
                              __global const float* b[B_FOURS], const ulong ldb) {
  float4 b_fours[DEPTH][B_FOURS];
#pragma unroll
  for (int other = 0; other < B_FOURS; ++other) {
    float4 fours[DEPTH];
    load_b(fours, b[other], ldb);
#pragma unroll
    for (int depth = 0; depth < DEPTH; ++depth) b_fours[depth][other] = fours[depth];
  }
#pragma unroll
  for (int depth = 0; TRANSPOSE_A && depth < DEPTH; ++depth) {
#pragma unroll
    for (int row = 0; row < TM; row += 4)
      add_products(sums + row, vload4(0, a + depth * lda + row), b_fours[depth]);
  }
#pragma unroll
  for (int row = 0; !TRANSPOSE_A && row < TM; ++row) {
    const vector_t depths = LOAD_DEPTHS(0, a + row * lda);
    const float* of_row = (const float*)&depths;
#pragma unroll
    for (int depth = 0; depth < DEPTH; ++depth) {
#pragma unroll
      for (int other = 0; other < B_FOURS; ++other)
        sums[row][other] = MULTIPLY_ADD((float4)(of_row[depth]), b_fours[depth][other], sums[row][other]);
    }
  }
}

// Adds the products of one step along k, element by element. This is for the rest of k, and for the whole of
// k if C has fewer than TM rows or four columns. Indices past the last row or column are clamped to it. The
// distances are the same for all work-items, so they take no registers of each.
static inline void add_depth(float4 sums[TM][B_FOURS], __global const float* a, const ulong lda,
                             __global const float* b[B_FOURS], const ulong ldb, const int last_row,
                             const int last_column) {
  float4 b_fours[B_FOURS];
#pragma unroll
  for (int i = 0; i < TN; ++i)
    ((float*)b_fours)[i] = b[i / 4][min(i % 4, last_column) * (TRANSPOSE_B ? ldb : 1)];
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const float of_row = a[min(i, last_row) * (TRANSPOSE_A ? 1 : lda)];
#pragma unroll
    for (int other = 0; other < B_FOURS; ++other)
      sums[i][other] = MULTIPLY_ADD((float4)(of_row), b_fours[other], sums[i][other]);
  }
}

// Stores those of four neighbours in a row of C that belong to this work-item.
static inline void store_own(__global float* line, const int n, const int own, const int column,
                             const float alpha, const float4 four, const float beta) {
  if (column == own) {
    store4_c_anywhere(line, 0, 1, n, 0, column, alpha, four, beta);
    return;
  }
  const float* elements = (const float*)&four;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (column + i >= own) store_c(line, 0, 1, n, 0, column + i, alpha, elements[i], beta);
  }
}

// At the edges of C a work-item computes a whole block that is shifted inwards, so that no load passes the
// edge. It stores only the results that belong to it.
__kernel __attribute__((reqd_work_group_size(DOWN * ACROSS, 1, 1)))
void gemm(GEMM_ARGUMENTS, BATCH_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  const int2 tile =
      tile_position((m + DOWN * TM - 1) / (DOWN * TM), (n + ACROSS * TN - 1) / (ACROSS * TN), 8);
  const int own_row = (tile.x * DOWN + get_local_id(0) / ACROSS) * TM;
  const int own_column = tile.y * ACROSS * TN + get_local_id(0) % ACROSS * 4;
  if (own_row >= m || own_column >= n) return;
  const Product product = product_of(products, get_global_id(2), a_stride, b_stride, c_stride, alpha, beta);
  const int row = max(min(own_row, m - TM), 0);
  a += a_offset + product.a + row * (TRANSPOSE_A ? 1 : lda);
  __global const float* b_places[B_FOURS];
  int columns[B_FOURS];
  float4 sums[TM][B_FOURS];
#pragma unroll
  for (int other = 0; other < B_FOURS; ++other) {
    columns[other] = max(min(own_column + other * ACROSS * 4, n - 4), 0);
    b_places[other] = b + b_offset + product.b + columns[other] * (TRANSPOSE_B ? ldb : 1);
#pragma unroll
    for (int i = 0; i < TM; ++i) sums[i][other] = (float4)(0.0f);
  }

  int left = k;
  for (; m >= TM && n >= 4 && left >= DEPTH; left -= DEPTH) {
    add_depths(sums, a, lda, b_places, ldb);
    a += DEPTH * (TRANSPOSE_A ? lda : 1);
#pragma unroll
    for (int other = 0; other < B_FOURS; ++other) b_places[other] += DEPTH * (TRANSPOSE_B ? 1 : ldb);
  }
  for (; left > 0; --left) {
    add_depth(sums, a, lda, b_places, ldb, m - 1, n - 1);
    a += TRANSPOSE_A ? lda : 1;
#pragma unroll
    for (int other = 0; other < B_FOURS; ++other) b_places[other] += TRANSPOSE_B ? 1 : ldb;
  }

  __global float* line = c + c_offset + product.c + row * ldc;
#pragma unroll
  for (int i = 0; i < TM; ++i, line += ldc) {
    if (row + i < own_row || row + i >= m) continue;
#pragma unroll
    for (int other = 0; other < B_FOURS; ++other)
      store_own(line, n, own_column + other * ACROSS * 4, columns[other], product.alpha, sums[i][other],
                product.beta);
  }
}
