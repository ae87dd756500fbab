// clgemm: bf16x6_mma
// summary: fp32 on the tensor cores of NVIDIA Ampere and later: six products of bf16 planes, added in fp32
// operands: bf16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// param: TILE_M = 128 in 64 128
// param: TILE_N = 128 in 64 128
// param: STAGES = 3 in 2 3 4
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16
// local: TILE_M/64*(TILE_N/64)*32
// grid: tiles
// require: nvidia_sm >= 80
// require: (TILE_M+TILE_N)/64*6144*STAGES <= 98304
// products: 6
// estimate: TILE_M TILE_N: 128 128, 64 64
// calibrate: defaults

// Computes fp32 from bf16, with the instructions that every tensor core has had since Ampere (common/mma.cl).
// The sum a = a1 + a2 + a3 is exact; each term is the rest, rounded to bf16. The product a b is the sum of
// the six largest of the nine products (Henry, Tang, Heinecke 2019).
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STAGES) || !defined(BAND)
#error "bf16x6_mma needs TILE_M, TILE_N, STAGES and BAND"
#endif
#include "common/arguments.cl"
#include "common/bf16_planes.cl"
#include "common/bf16_range.cl"
#include "common/mma.cl"
#include "common/tile_order.cl"

// Adds up the six products of a step in fresh sums, the smallest first. The sums are then added in fp32.
INLINED void multiply_step(float sums[ROW_STEPS][COLUMN_STEPS][4], const Walk* walk, const uint a_lines,
                           const uint b_lines) {
  uint b[PLANES][COLUMN_STEPS / 2][4];
#pragma unroll
  for (int plane = 0; plane < PLANES; ++plane) load_columns(b[plane], b_lines + plane * PLANE_BYTES);
#pragma unroll
  for (int row = 0; row < ROW_STEPS; ++row) {
    uint a[PLANES][4];
#pragma unroll
    for (int plane = 0; plane < PLANES; ++plane) {
      load_matrices(a[plane], a_lines + plane * PLANE_BYTES + row * 2 * GROUP_BYTES);
    }
    float fresh[COLUMN_STEPS][4];
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) fresh[i / 4][i % 4] = 0.0f;
#pragma unroll
    for (int order = PLANES - 1; order >= 0; --order) {
#pragma unroll
      for (int plane = order; plane >= 0; --plane) {
#pragma unroll
        for (int column = 0; column < COLUMN_STEPS; ++column) {
          mma(fresh[column], a[plane], &b[order - plane][column / 2][column % 2 * 2]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) sums[row][i / 4][i % 4] += fresh[i / 4][i % 4];
    Pieces pieces;
    begin_copies(&pieces, walk, row);
    end_copies(&pieces, walk, row);
  }
}

// Does nothing, because bf16 planes have the exponents of the numbers.
static inline void scale_rows(float rows[COLUMN_STEPS][4], const Exponents exponents, const int row_step) {}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, NOTES_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local uint4 memory[STAGES * STAGE_BYTES / 16];
  __local Extremes extremes;
  __local Place place;
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  work_group_gathers_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, ITEMS);
  if (!leave_is_done(planes_are_exact(&extremes), notes, notes_offset, a_notes, a_stride, b_notes, b_stride))
    return;
  const uint stages = shared_address(memory);
  const size_t batch = get_global_id(2);
  const ulong strip = strip_bytes(k);
  const int2 tile = tile_position((m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, BAND);
  const __global char* a_strips = (const __global char*)(a + a_offset + batch * a_stride);
  const __global char* b_strips = (const __global char*)(b + b_offset + batch * b_stride);
  const Place here = {c + c_offset + batch * c_stride, a_strips + tile.x * M_BLOCKS * strip,
                      b_strips + tile.y * N_BLOCKS * strip, tile};
  prefetch_tile_of_c(target_at(here, ldc, m, n, alpha, beta), TILE_M, TILE_N, ITEMS);
  if (get_local_id(0) == 0) place = here;  // read after the barriers of the loop
  float sums[ROW_STEPS][COLUMN_STEPS][4];
  multiply_steps(sums, start_walk(here.a, here.b, strip, k, stages));
  const Exponents none = {0, 0};
  store_sums(target_at(place, ldc, m, n, alpha, beta), sums, none, (__local float*)memory);
}
