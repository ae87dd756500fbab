// clgemm: direct
// summary: BM x BN tiles with A and B in place, no packing; SLICES parts of a work-group share k
// operands: in_place
// param: BM = 32 in 8 16 32 64 128
// param: BN = 32 in 16 32 64 128
// param: TM = 4 in 4 8
// param: TN = 4 in 4 8
// param: DEPTH = 8 in 8 16
// param: SLICES = 4 in 1 2 4 8 16
// param: COPIES = 2 in 1 2 3
// tile: BM BN DEPTH*SLICES
// local: BM/TM*(BN/TN)*SLICES
// grid: tiles
// batch: 1
// adds_parts: nvidia_sm >= 70
// align: 4
// results: TM*TN + DEPTH*(BM+BN)/(BM/TM*(BN/TN))
// into_local: BM+BN
// registers: 168*(TN>4&&BM*BN*SLICES<8193)+128*(TM>TN&&BM*BN*SLICES!=4096)+96*(TM+TN<9&&BM*BN*SLICES+BM<1088)
// require: is_cpu == 0
// require: COPIES < 3 || nvidia_sm >= 80
// require: BM % TM == 0 && BN % (4*TN) == 0 && BM/TM*(BN/TN)*SLICES >= 8
// require: 4*COPIES*DEPTH*SLICES*(BM+BN+8) <= local_bytes
// require: 16*SLICES*(BM/TM)*(BN+4) <= local_bytes
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 64 128 8 8 8 1 2, 64 32 8 8 8 4 2, 32 128 8 8 8 1 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 64 64 8 8 8 2 2, 64 64 8 4 8 1 2, 32 64 8 4 8 2 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 32 64 8 4 8 4 2, 128 64 8 8 8 1 2, 16 64 4 4 8 4 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 32 32 4 4 8 4 2, 32 32 4 4 8 1 2, 16 32 4 4 8 8 1
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 64 64 8 8 8 1 2, 64 128 8 8 8 1 3, 128 64 8 8 8 1 3
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 64 64 8 8 8 2 3, 64 32 8 8 8 4 3, 32 32 4 4 16 1 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 64 16 4 4 8 1 2, 16 64 4 4 8 1 2, 128 16 8 4 8 1 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 16 32 4 4 8 2 2, 64 32 8 4 8 1 2, 32 64 8 4 8 1 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 128 32 8 8 8 1 2, 16 64 4 4 8 1 3, 16 32 4 4 8 2 3
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 32 64 8 4 8 1 3, 64 32 8 4 8 1 3, 64 64 8 8 8 1 3
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 32 128 8 8 8 1 3, 8 16 4 4 8 4 2, 16 16 4 4 8 2 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 16 32 4 4 8 4 2, 32 16 4 4 8 4 2, 32 64 8 8 8 4 2
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 32 32 8 4 8 1 3, 64 16 8 4 8 1 3, 32 16 4 4 8 1 3
// calibrate: BM BN TM TN DEPTH SLICES COPIES: 8 64 4 4 8 1 3, 16 16 4 4 8 2 3, 8 16 4 4 8 4 3

// For shapes that need a single launch, or that are expensive to pack. The technique is in common/slices.cl.
//
// `registers`: a compute unit of an H200 has registers for 12 warps with 168 each, or for 16 warps with 128.
// 128 are too few for 8 x 8 results and the next elements. With tiles of 64 x 64 and 128 work-items, 8 shapes
// reach 0.93 of the speed of cuBLAS's fp32 with 168 registers, and 0.85 with 128 (November 2026).
//
// With 8 x 4 results, work-groups have 128 registers, unless they have 128 work-items. With 4 x 4 results
// and at most 64 work-items they have 96, except 64 x 16, which would spill on an A100. So more work-groups
// run at a time: 135 products of 91 x 65 x 28 take 7.7 us with 96 registers, and 9.3 us with 100. With 64
// registers, batches take 0.74 to 0.95 of the time, but small calls up to 1.17 (H200, November 2026).
//
// COPIES is the number of tiles of each operand in local memory. If it is 3, asynchronous copies fill them.
//
// `calibrate` has all configs that searches on an H200 found among the best for some shape, and smaller ones
// for smaller GPUs. The same applies to `block_2d`. Most of those with BM or BN of 8 or 16 are for batches of
// matrices with few rows or few columns. With two or four slices they are for matrices that have few of both:
// 1929 products of 7 x 7 x 281 take 16.7 us with 8 x 16 and four slices, and 29.5 with `thin_rows`. 2323 of
// 12 x 16 x 175 take 16.7 us with 16 x 16 and two slices, and 32.6 with `small`. Three copies of small tiles
// are mostly for batches whose lines cannot be read as float4. With 32 x 128, 2876 products of 66 x 123 x 82
// take 171 us with three copies, and 214 with two (H200, 29 November 2026).
//
// Work-groups of 32 work-items are one warp, so barriers hardly cost anything, and many of them run at a
// time. With 32 x 32, 1557 products of 30 x 27 x 163 with A transposed take 24.4 us in one warp, 28.9 in
// two, and 34.4 in two with two copies. 874 of 67 x 13 x 606 take 74 us with 32 x 16, and 103 in four warps
// (H200, 29 November 2026). Tiles of 64 x 96, 96 x 64 and 64 x 48 were tried, too. Some batches took 0.85 to
// 0.95 of the time with them. But in fp32, the model then chose them for some GEMMs that took up to 1.4 times
// as long.
//
// Two more ideas for batches gained nothing (H200, 29 November 2026). A work-group multiplied two or four
// matrices in turn, and started to copy the next one before it stored. 35 batches took 1.07 to 1.5 times as
// long on average, depending on the tile. Rows of C without gaps were stored as one piece of memory, in whole
// lines of 128 bytes. 32 batches took 0.98 to 1.04 times as long.
//
// CPUs do not use this kernel, because PoCL 3.1 sometimes computes a tile wrongly. Oclgrind finds neither a
// race nor a stray access in it.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B) || !defined(ALIGNED_A) || !defined(ALIGNED_B)
#error "operands: in_place needs TRANSPOSE_A, TRANSPOSE_B, ALIGNED_A and ALIGNED_B"
#endif
#define A_WIDTH (ALIGNED_A ? 4 : 1)
#define B_WIDTH (ALIGNED_B ? 4 : 1)

#define LOADS_STAY
#include "common/arguments.cl"
#include "common/batch.cl"
#include "common/parts.cl"
#include "common/slices.cl"
#include "common/store_tile.cl"
#include "common/sub_group.cl"
#include "common/tile_order.cl"

// Adds up the slices and stores the results, SUMS_ROWS at a time: one row of blocks of each work-item. If the
// sums were stored unchanged, the compiler would keep them in groups of four registers from the beginning, in
// the banks of B's groups of four. An H200 then takes 5 % longer with 16 x 8 results per work-item (November
// 2026). So the sums become new numbers first. If there is one slice, they are scaled by alpha. With several
// slices the total is scaled later, so the sums are multiplied by `one`, which the compiler does not know to
// be 1.
static inline void store_by_rows(const float4 sums[TM][TN / 4], __local float4* memory, Target target,
                                 const float one) {
  const float scale = SLICES == 1 ? target.alpha : one;
  if (SLICES == 1) target.alpha = 1.0f;
  const int slice = get_local_id(0) / SLICE_ITEMS;
  const int item = get_local_id(0) % SLICE_ITEMS;
  __local float4* place = memory + (slice * DOWN + row_of(item)) * SUMS_STRIDE + column_of(item);
  const Tile tile = {(const __local float*)memory, SUMS_ROWS, BN, SUMS_STRIDE, SLICES,
                     SUMS_ROWS * SUMS_STRIDE};
#pragma unroll
  for (int block = 0; block < TM / 4; ++block) {
    SLICES_BARRIER;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
      for (int other = 0; other < TN / 4; ++other) {
        place[row * (SUMS_STRIDE / 4) + other * ACROSS] = scale * sums[block * 4 + row][other];
      }
    }
    SLICES_BARRIER;
    store_tile_of_c(target, tile, get_local_id(0), ITEMS);
    target.first += SUMS_ROWS * target.ld;
    target.rows -= SUMS_ROWS;
  }
}

// With LOADS_STAY no pointer is `restrict`, so compilers leave the loads of a tile in their step, before its
// barrier.
__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, BATCH_ARGUMENTS, PARTS_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 memory[SLICES_MEMORY / 4];
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, 8);
  const int first_row = tile.x * BM;
  const int first_column = tile.y * BN;
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const int depth = min(k - first_k, part_depth);
  const Product product =
      product_of(products, is_part ? 0 : get_global_id(2), a_stride, b_stride, c_stride, alpha, beta);
  const Lines a_lines = lines_from(a + a_offset + product.a + first_k * (TRANSPOSE_A ? lda : 1), lda,
                                   TRANSPOSE_A, first_row, m, depth);
  const Lines b_lines = lines_from(b + b_offset + product.b + first_k * (TRANSPOSE_B ? 1 : ldb), ldb,
                                   !TRANSPOSE_B, first_column, n, depth);
  __global float* to = c + c_offset + product.c;
  const ulong ld = is_part ? parts.ld : ldc;
  const Target target = {(is_part ? result_of_part(&parts) : to) + first_row * ld + first_column,
                         ld,
                         m - first_row,
                         n - first_column,
                         is_part ? 1.0f : product.alpha,
                         is_part ? 0.0f : product.beta};
  prefetch_tile_of_c(target, BM, BN, ITEMS);
  float4 sums[TM][TN / 4];
  multiply_slices(sums, memory, a_lines, b_lines);
  store_by_rows(sums, memory, target, m < 1 ? 0.0f : 1.0f);
  if (is_part && is_last_part(&parts, get_group_id(0), (__local uint*)memory))
    add_parts(&parts, ITEMS, BM, BN, to, ldc, m, n, first_row, first_column, alpha, beta);
}
