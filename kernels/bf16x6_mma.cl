// clgemm: bf16x6_mma
// summary: fp32 on the tensor cores of NVIDIA Ampere and later: six products of bf16 planes, added in fp32
// operands: bf16_planes
// otherwise: otherwise_fp32
// precision: fp32_equivalent
// param: TILE_M = 128 in 64 128
// param: TILE_N = 128 in 64 128
// param: STAGES = 2 in 2 3 4
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16
// local: TILE_M/64*(TILE_N/64)*32
// grid: tiles
// require: nvidia_sm >= 80
// require: (TILE_M+TILE_N)/64*6144*STAGES <= 98304

// As bf16x6_wgmma.cl, by the instructions that every tensor core since Ampere has: a warp computes 64 x 64 of the tile, 16
// rows at a time, from fragments that ldmatrix takes out of local memory; asynchronous copies keep STAGES steps of 16
// along k there.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(STAGES) || !defined(BAND)
#error "bf16x6_mma needs TILE_M, TILE_N, STAGES and BAND"
#endif
#include "common/ampere.cl"
#include "common/bf16_planes.cl"
#include "common/bf16_range.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"

#define M_BLOCKS (TILE_M / BLOCK_LINES)
#define N_BLOCKS (TILE_N / BLOCK_LINES)
#define ITEMS (M_BLOCKS * N_BLOCKS * 32)
#define STAGE_BYTES ((M_BLOCKS + N_BLOCKS) * BLOCK_BYTES)
#define BLOCK_COPIES (BLOCK_BYTES / 16 / ITEMS)  // of one work-item
#define ROW_STEPS (BLOCK_LINES / 16)             // a warp's 64 rows, 16 at a time
#define COLUMN_STEPS (BLOCK_LINES / 8)

// sums += 16 rows x 16 of k times 16 of k x 8 columns.
static inline void mma(float* sums, const uint* a, const uint* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Starts the copies of a step to a stage: blocks of A, then of B, each contiguous in both memories.
static inline void copy_step(const uint stage, const __global char* a, const __global char* b,
                             const ulong lines_bytes) {
  const int piece = get_local_id(0) * 16;
#pragma unroll
  for (int block = 0; block < M_BLOCKS + N_BLOCKS; ++block) {
    const __global char* source = block < M_BLOCKS ? a + block * lines_bytes : b + (block - M_BLOCKS) * lines_bytes;
#pragma unroll
    for (int i = 0; i < BLOCK_COPIES; ++i) {
      copy_16_async(stage + block * BLOCK_BYTES + piece + i * ITEMS * 16, source + piece + i * ITEMS * 16);
    }
  }
}

// The six products of a step, the smallest first, into fresh sums, which are then added in fp32.
static inline void multiply_step(float sums[ROW_STEPS][COLUMN_STEPS][4], const uint a_lines, const uint b_lines) {
  uint b[PLANES][COLUMN_STEPS / 2][4];
#pragma unroll
  for (int plane = 0; plane < PLANES; ++plane) {
#pragma unroll
    for (int pair = 0; pair < COLUMN_STEPS / 2; ++pair) {
      load_matrices(b[plane][pair], b_lines + plane * PLANE_BYTES + pair * 2 * GROUP_BYTES);
    }
  }
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
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes) {
  __local uint4 memory[STAGES * STAGE_BYTES / 16];
  __local Extremes extremes;
  work_group_gathers_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, ITEMS);
  if (!leave_verdict(planes_are_exact(&extremes), notes, notes_offset, a_notes, a_stride, b_notes, b_stride)) return;
  const uint stages = shared_address(memory);
  const int2 tile = tile_position((m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, BAND);
  const size_t batch = get_global_id(2);
  const ulong lines_bytes = (ulong)(k / BLOCK_DEPTH) * BLOCK_BYTES;  // of 64 lines
  const __global char* a_bytes = (const __global char*)(a + a_offset + batch * a_stride) + tile.x * M_BLOCKS * lines_bytes;
  const __global char* b_bytes = (const __global char*)(b + b_offset + batch * b_stride) + tile.y * N_BLOCKS * lines_bytes;

  const int lane = get_local_id(0) % 32;
  const int warp = get_local_id(0) / 32;
  const int a_block = warp / N_BLOCKS;
  const int b_block = warp % N_BLOCKS;
  // The line of a matrix that this work-item names: of A by 8 rows, then by 8 of k; of B by 8 of k, then by 8 columns.
  const uint a_line = a_block * BLOCK_BYTES + lane / 8 % 2 * GROUP_BYTES + lane / 16 * CORE_BYTES + lane % 8 * 16;
  const uint b_line =
      (M_BLOCKS + b_block) * BLOCK_BYTES + lane / 16 * GROUP_BYTES + lane / 8 % 2 * CORE_BYTES + lane % 8 * 16;

  float sums[ROW_STEPS][COLUMN_STEPS][4];
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS * 4; ++i) sums[i / (COLUMN_STEPS * 4)][i / 4 % COLUMN_STEPS][i % 4] = 0.0f;

  const int steps = k / BLOCK_DEPTH;
#pragma unroll
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) copy_step(stages + step * STAGE_BYTES, a_bytes, b_bytes, lines_bytes);
    a_bytes += BLOCK_BYTES;
    b_bytes += BLOCK_BYTES;
    copies_commit();
  }
  int stage = 0;
  for (int step = 0; step < steps; ++step) {
    COPIES_WAIT(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);  // the copies of all have come, and the stage that is filled next is free
    const int next = (stage + STAGES - 1) % STAGES;
    if (step + STAGES - 1 < steps) copy_step(stages + next * STAGE_BYTES, a_bytes, b_bytes, lines_bytes);
    a_bytes += BLOCK_BYTES;
    b_bytes += BLOCK_BYTES;
    copies_commit();
    multiply_step(sums, stages + stage * STAGE_BYTES + a_line, stages + stage * STAGE_BYTES + b_line);
    stage = (stage + 1) % STAGES;
  }

  c += c_offset + batch * c_stride;
#pragma unroll
  for (int row_step = 0; row_step < ROW_STEPS; ++row_step) {
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS; ++i) {
      const float* four = sums[row_step][i];
      const int row = tile.x * TILE_M + a_block * BLOCK_LINES + row_step * 16 + lane / 4;
      const int column = tile.y * TILE_N + b_block * BLOCK_LINES + i * 8 + lane % 4 * 2;
      store2_c(c, ldc, m, n, row, column, alpha, (float2)(four[0], four[1]), beta);
      store2_c(c, ldc, m, n, row + 8, column, alpha, (float2)(four[2], four[3]), beta);
    }
  }
}
