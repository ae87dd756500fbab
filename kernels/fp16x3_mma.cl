// clgemm: fp16x3_mma
// summary: fp32 on the tensor cores of NVIDIA Ampere and later: three products of fp16 planes, added in fp32
// operands: fp16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// param: TILE_M = 128 in 64 128
// param: TILE_N = 64 in 64 128
// param: STAGES = 4 in 2 3 4
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16
// local: TILE_M/64*(TILE_N/64)*32
// grid: tiles
// require: nvidia_sm >= 80
// require: (TILE_M+TILE_N)/64*4096*STAGES <= 98304
// require: TILE_M*TILE_N < 16384 || nvidia_sm < 100
// products: 3
// estimate: TILE_M TILE_N: 128 128, 128 64, 64 64
// calibrate: TILE_M TILE_N: 128 128, 128 64

// Works like fp16x3_wgmma.cl, but with the instructions that every tensor core has had since Ampere
// (common/mma.cl). With tiles of 128 x 128, ptxas spills on Blackwell. The fallback is plain fp32, because
// six bf16 products cost every call two more launches: 4.5 us on an H200, 7 % of the time of 234 shapes in
// the mean (26 November 2026). By their data sheets, GeForce GPUs compute fp32 faster.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STAGES) || !defined(BAND)
#error "fp16x3_mma needs TILE_M, TILE_N, STAGES and BAND"
#endif
#include "common/arguments.cl"
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/mma.cl"
#include "common/tile_order.cl"

// Adds up the three products of a step in fresh sums, which are then added in fp32. The products of a low
// plane come first, because they count 2^-11 as much. Eight products stand between two that add to the same
// sums.
INLINED void multiply_step(float sums[ROW_STEPS][COLUMN_STEPS][4], const Walk* walk, const uint a_lines,
                           const uint b_lines) {
  uint b[PLANES][COLUMN_STEPS / 2][4];
#pragma unroll
  for (int plane = 0; plane < PLANES; ++plane) load_columns(b[plane], b_lines + plane * PLANE_BYTES);
#pragma unroll
  for (int row = 0; row < ROW_STEPS; ++row) {
    uint high[4];
    uint low[4];
    load_matrices(low, a_lines + PLANE_BYTES + row * 2 * GROUP_BYTES);
    load_matrices(high, a_lines + row * 2 * GROUP_BYTES);
    float fresh[COLUMN_STEPS][4];
    Pieces pieces;
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) fresh[i / 4][i % 4] = 0.0f;
#pragma unroll
    for (int column = 0; column < COLUMN_STEPS; ++column) {
      mma(fresh[column], low, &b[0][column / 2][column % 2 * 2]);
      mma(fresh[column], high, &b[1][column / 2][column % 2 * 2]);
    }
    begin_copies(&pieces, walk, row);
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) fresh[i / 4][i % 4] *= LOW_SCALE;
#pragma unroll
    for (int column = 0; column < COLUMN_STEPS; ++column)
      mma(fresh[column], high, &b[0][column / 2][column % 2 * 2]);
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) sums[row][i / 4][i % 4] += fresh[i / 4][i % 4];
    end_copies(&pieces, walk, row);
  }
}

// Removes the planes' scales from 16 rows.
static inline void scale_rows(float rows[COLUMN_STEPS][4], const Exponents exponents, const int row_step) {
  const int upper = EXPONENT_UNIT * exponents.rows[row_step * 16];
  const int lower = EXPONENT_UNIT * exponents.rows[row_step * 16 + 8];
#pragma unroll
  for (int i = 0; i < COLUMN_STEPS; ++i) {
    float* four = rows[i];
    const int2 columns = EXPONENT_UNIT * (int2)(exponents.columns[i * 8], exponents.columns[i * 8 + 1]);
    const float2 above = scaled_back((float2)(four[0], four[1]), upper + columns);
    const float2 below = scaled_back((float2)(four[2], four[3]), lower + columns);
    four[0] = above.x;
    four[1] = above.y;
    four[2] = below.x;
    four[3] = below.y;
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, NOTES_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local uint4 memory[STAGES * STAGE_BYTES / 16];
  __local Extremes extremes;
  __local Place place;
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  work_group_gathers_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, ITEMS);
  if (!leave_is_done(planes_are_exact(&extremes, k), notes, notes_offset, a_notes, a_stride, b_notes,
                     b_stride))
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
  multiply_steps(sums, start_walk(here.a + HEADER_BYTES, here.b + HEADER_BYTES, strip, k, stages));

  // clang and ptxas spilled 8 bytes with tiles of 64 x 64 on sm_80 when `b` waited in local memory, too. On
  // sm_120 they spilled 24 bytes with tiles of 128 x 64 when it did not.
  const __global char* b_place =
      NVIDIA_SM >= 100 ? place.b : b_strips + place.tile.y * N_BLOCKS * strip;
  const int lane = get_local_id(0) % 32;
  const Exponents exponents = {
      (const __global int*)(place.a + WARP_BLOCK_A * strip) + lane / 4,
      (const __global int*)(b_place + WARP_BLOCK_B * strip) + WARP_COLUMN % BLOCK_LINES + lane % 4 * 2};
  store_sums(target_at(place, ldc, m, n, alpha, beta), sums, exponents, (__local float*)memory);
}
