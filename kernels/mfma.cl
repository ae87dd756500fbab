// clgemm: mfma
// summary: BM x BN tiles on the fp32 matrix units of AMD's CDNA 2 and 3, with A and B in place, no packing
// operands: in_place
// param: BM = 128 in 64 128
// param: BN = 128 in 64 128
// param: BK = 8 in 8 16
// param: WM = 64 in 32 64
// param: WN = 64 in 32 64
// tile: BM BN BK
// local: BM/WM*(BN/WN)*64
// grid: tiles
// batch: 1
// align: 4
// results: WM*WN/64 + BK*(BM+BN)/(BM/WM*(BN/WN)*64)
// products: 1
// matrix_units: fp32
// estimate: BM BN WM WN: 128 128 64 64, 64 64 32 32; BK: 8
// require: arch(gfx90a) || arch(gfx942)
// require: 4*2*BK*(BM+BN+8) <= local_bytes
// require: 4*16*(BM/WM)*(BN+4) <= local_bytes
// calibrate: BM BN WM WN: 128 128 64 64, 64 64 32 32, 128 64 64 32, 64 128 32 64; BK: 8, 16

// This kernel has not been measured. `calibrate` has the configs that fit. `estimate` has one config for
// large matrices and one for few tiles.
//
// A matrix unit takes 32 clocks for an instruction of 1024 multiply-adds, and the SIMD issues other
// instructions meanwhile. A wave with 64 x 64 results reads two floats of local memory for 64 multiply-adds.
// The 32 x 32 x 2 form of the instruction does as many multiply-adds in a clock. It needs as many floats and
// registers for the same results.
//
// An instruction adds its four products one after another, like fma() in fp32, and does not flush denormal
// numbers. This follows mmasim's model of CDNA 1 to 3 (docs/accuracy.md). So the result is plain fp32 in
// another order.
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(WM) || !defined(WN)
#error "mfma needs BM, BN, BK, WM and WN"
#endif
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B) || !defined(ALIGNED_A) || !defined(ALIGNED_B)
#error "operands: in_place needs TRANSPOSE_A, TRANSPOSE_B, ALIGNED_A and ALIGNED_B"
#endif
#define A_WIDTH (ALIGNED_A ? 4 : 1)
#define B_WIDTH (ALIGNED_B ? 4 : 1)

#define LOADS_STAY
#include "common/arguments.cl"
#include "common/batch.cl"
#include "common/mfma.cl"
#include "common/tile.cl"
#include "common/tile_order.cl"

#define A_STRIDE (BM + 4)  // the padding spreads transposed writes over the banks
#define B_STRIDE (BN + 4)
#define A_SIZE (BK * A_STRIDE)
#define STAGE_SIZE (A_SIZE + BK * B_STRIDE)  // a tile of A and one of B
#define MEMORY_SIZE (2 * STAGE_SIZE > SUMS_SIZE ? 2 * STAGE_SIZE : SUMS_SIZE)  // floats

DEFINE_TILE(a, BM, TRANSPOSE_A, A_WIDTH)
DEFINE_TILE(b, BN, !TRANSPOSE_B, B_WIDTH)

// Returns the first depth of a work-item. v_mfma_f32_16x16x4_f32 multiplies 16 rows by 16 columns, four deep.
// Each work-item gives one element of A, of row lane % 16, and one of B, of column lane % 16. Both have the
// depth of the work-item's group of sixteen. It does not matter which depths are multiplied together, as long
// as they are the same for A and B. Groups that read local memory together read depths that lie four apart.
// With a padding of four floats, these are in different banks.
static inline int first_depth_of(const int sixteen) {
  return sixteen % 2 * 4 + sixteen / 2 * (BK == 8 ? 2 : 8);
}

// Adds the products of a tile. `a_tile` and `b_tile` point to the first element that this work-item gives.
static inline void multiply_tiles(Sums sums, const __local float* a_tile, const __local float* b_tile) {
#pragma unroll
  for (int depth = 0; depth < BK / 4; ++depth) {
    float a[BLOCKS_M], b[BLOCKS_N];
#pragma unroll
    for (int block = 0; block < BLOCKS_M; ++block) a[block] = a_tile[depth * A_STRIDE + block * SUMS_ROWS];
#pragma unroll
    for (int block = 0; block < BLOCKS_N; ++block) b[block] = b_tile[depth * B_STRIDE + block * 16];
#pragma unroll
    for (int row = 0; row < BLOCKS_M; ++row) {
#pragma unroll
      for (int column = 0; column < BLOCKS_N; ++column)
        sums[row][column] =
            __builtin_amdgcn_mfma_f32_16x16x4f32(a[row], b[column], sums[row][column], 0, 0, 0);
    }
  }
}

// Adds up the products along k. Because there are two copies of the tiles, one barrier per step is enough:
// while one copy is multiplied, the next one arrives through registers. The first step may be shorter, so
// that no other step has to check the end of k.
static inline void multiply(Sums sums, __local float* memory, const Lines a_lines, const Lines b_lines,
                            const int row, const int column) {
  const int first_depth = first_depth_of(get_local_id(0) % WAVE / 16);
  int a_place = first_depth * A_STRIDE + row;
  int b_place = A_SIZE + first_depth * B_STRIDE + column;
  int steps_left = (a_lines.depth_left - 1) / BK;
  a_tile a = a_tile_from(a_lines, 0, A_STRIDE);
  b_tile b = b_tile_from(b_lines, A_SIZE, B_STRIDE);
  load_a_tile(&a, a_lines.depth_left - steps_left * BK);
  load_b_tile(&b, b_lines.depth_left - steps_left * BK);
  store_a_tile(&a, memory, A_STRIDE);
  store_b_tile(&b, memory, B_STRIDE);
  barrier(CLK_LOCAL_MEM_FENCE);
  int to_next = STAGE_SIZE;
  for (; steps_left > 0; --steps_left) {
    load_a_tile(&a, BK);
    load_b_tile(&b, BK);
    LOADS_FIRST;
    multiply_tiles(sums, memory + a_place, memory + b_place);
    a.to += to_next;
    b.to += to_next;
    store_a_tile(&a, memory, A_STRIDE);
    store_b_tile(&b, memory, B_STRIDE);
    a_place += to_next;
    b_place += to_next;
    to_next = -to_next;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  multiply_tiles(sums, memory + a_place, memory + b_place);
}

__kernel __attribute__((amdgpu_waves_per_eu(2))) __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, BATCH_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float memory[MEMORY_SIZE] __attribute__((aligned(16)));
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, 8);
  const int first_row = tile.x * BM;
  const int first_column = tile.y * BN;
  const Product product = product_of(products, get_global_id(2), a_stride, b_stride, c_stride, alpha, beta);
  const Lines a_lines = lines_from(a + a_offset + product.a, lda, TRANSPOSE_A, first_row, m, k);
  const Lines b_lines = lines_from(b + b_offset + product.b, ldb, !TRANSPOSE_B, first_column, n, k);
  const Target target = {c + c_offset + product.c + first_row * ldc + first_column, ldc, m - first_row,
                         n - first_column, product.alpha, product.beta};

  const int2 wave = place_of_wave();
  const int lane = get_local_id(0) % WAVE;
  const int column = wave.y + lane % 16;
  Sums sums;
  clear(sums);
  multiply(sums, memory, a_lines, b_lines, wave.x + lane % 16, column);
  store_by_rows(sums, memory, target, wave.x + lane / 16 * 4, column);
}
