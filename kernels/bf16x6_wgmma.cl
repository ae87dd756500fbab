// clgemm: bf16x6_wgmma
// summary: fp32 on the tensor cores of NVIDIA Hopper: six products of bf16 planes, added in fp32
// operands: bf16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// ptx: sm_90a
// param: TILE_M = 128 in 64 128
// param: TILE_N = 128 in 64 128
// param: SLICES = 1 in 1 2 4
// param: STEP = 2 in 1 2
// param: STAGES = 4 in 2 3 4 5 6 8
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16*STEP
// local: TILE_M/64*SLICES*128+64
// grid: tiles
// require: nvidia_sm == 90
// require: TILE_M/64*SLICES <= 4
// require: STAGES % SLICES == 0
// require: (TILE_M+TILE_N)/64*6144*STEP*STAGES <= 229376
// require: (SLICES-1)*TILE_M*TILE_N*4 <= (TILE_M+TILE_N)/64*6144*STEP*STAGES

// fp32 from bf16 (where the planes lie: common/bf16_planes.cl): with a = a1 + a2 + a3 and b likewise, the six largest of
// the nine products are within half a unit in the last place of fp32 (Henry, Tang, Heinecke 2019, "Leveraging the
// bfloat16 artificial intelligence datatype for higher-precision computations"). The tensor core truncates when it adds;
// so each 16 * STEP of k start with sums of zero, to which the smallest products come first, and fp32 units add those up.
//
// A work-group is warpgroups that multiply, each 64 rows of the tile (and with SLICES > 1 every SLICES-th step along k),
// a warp that copies, and one that finds out whether the planes are exact. The copying one keeps a ring of STAGES steps in
// local memory full (common/ring.cl). Clusters, whose work-groups could share what is copied, are not to be had: NVIDIA's OpenCL
// (driver 580) passes over .reqnctapercluster.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(SLICES) || !defined(STEP) || !defined(STAGES) || !defined(BAND)
#error "bf16x6_wgmma needs TILE_M, TILE_N, SLICES, STEP, STAGES and BAND"
#endif
#include "common/bf16_planes.cl"
#include "common/bf16_range.cl"
#include "common/ring.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"
#include "common/wgmma.cl"

#define MULTIPLIERS (M_BLOCKS * SLICES * 128)
#define SUMS (TILE_N / 2)                        // of a work-item

#if TILE_N == 128
#define WGMMA wgmma_128
#define WGMMA_FENCE wgmma_fence_128
#define WGMMA_WAIT wgmma_wait_128
#else
#define WGMMA wgmma_64
#define WGMMA_FENCE wgmma_fence_64
#define WGMMA_WAIT wgmma_wait_64
#endif

// The six products of a step, the smallest first, into d.
static inline void multiply_step(float* d, const uint a, const uint b) {
  // The line of A's matrices that this work-item names: by 16 rows of a warp, by 8 rows, then by 8 of k.
  const int item = get_local_id(0);
  const uint a_line =
      a + item % 128 / 8 % 2 * GROUP_BYTES + item % 128 / 32 * 2 * GROUP_BYTES + item % 32 / 16 * CORE_BYTES + item % 8 * 16;
  uint a_planes[STEP][PLANES][4];
#pragma unroll
  for (int i = 0; i < STEP * PLANES; ++i) {
    load_matrices(a_planes[i / PLANES][i % PLANES], a_line + i / PLANES * BLOCK_BYTES + i % PLANES * PLANE_BYTES);
  }
  WGMMA_FENCE(d);
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    const uint b_step = b + step * N_BLOCKS * BLOCK_BYTES;
#pragma unroll
    for (int order = PLANES - 1; order >= 0; --order) {
#pragma unroll
      for (int plane = order; plane >= 0; --plane) {
        WGMMA(d, a_planes[step][plane], plane_descriptor(b_step + (order - plane) * PLANE_BYTES),
              step > 0 || order < 2 || plane < 2);
      }
    }
  }
  wgmma_commit();
  WGMMA_WAIT(d);
}

// The steps of one slice.
static inline void multiply_steps(float* sums, const int k, const int slice, const int block, const uint memory,
                                  const uint barriers) {
  float d[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) d[i] = sums[i] = 0.0f;
  int stage = slice % STAGES;
  uint parity = slice / STAGES % 2;
  for (int step = slice; step * BLOCK_DEPTH * STEP < k; step += SLICES) {
    const uint place = memory + stage * STAGE_BYTES;
    mbarrier_wait(full_barrier(barriers, stage), parity);
    multiply_step(d, place + block * STEP * BLOCK_BYTES, place + A_BYTES);
    if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, stage));
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] += d[i];
    stage += SLICES;
    if (stage >= STAGES) {
      stage -= STAGES;
      parity ^= 1;
    }
  }
}

__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + 64, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes, const ulong before) {
  __local char memory[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES];
  __local Extremes extremes;
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  const int item = get_local_id(0);
  const uint stages = shared_address(memory);
  const uint stage_barriers = shared_address(barriers);
  const int2 tile = tile_position((m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, BAND);
  const size_t batch = get_global_id(2);
  const int warpgroup = item / 128;
  const int slice = warpgroup / M_BLOCKS;
  const int block = warpgroup % M_BLOCKS;

  if (item == 0) {
    make_ring(stage_barriers, M_BLOCKS * 4);
    extremes = (Extremes){0, 0, 0, 0};
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  float sums[SUMS];
  if (item >= MULTIPLIERS + 32) {
    gather_all_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, item % 32, 32);
  } else if (item >= MULTIPLIERS) {
    if (item == MULTIPLIERS) {
      const ulong strip = strip_bytes(k);
      copy_steps((const __global char*)(a + a_offset + batch * a_stride) + tile.x * M_BLOCKS * strip,
                 (const __global char*)(b + b_offset + batch * b_stride) + tile.y * N_BLOCKS * strip, strip, k, stages,
                 stage_barriers);
    }
  } else {
    multiply_steps(sums, k, slice, block, stages, stage_barriers);
  }

  barrier(CLK_LOCAL_MEM_FENCE);
  if (!leave_is_done(planes_are_exact(&extremes), notes, notes_offset, a_notes, a_stride, b_notes, b_stride)) return;
#if SLICES > 1
  // The slices' sums meet in local memory, in the order of the slices.
  __local float* parts = (__local float*)memory + item % (M_BLOCKS * 128);
  if (item < MULTIPLIERS && slice > 0) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) parts[((slice - 1) * SUMS + i) * M_BLOCKS * 128] = sums[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0) {
    for (int other = 0; other < SLICES - 1; ++other) {
#pragma unroll
      for (int i = 0; i < SUMS; ++i) sums[i] += parts[(other * SUMS + i) * M_BLOCKS * 128];
    }
  }
#endif

  if (item >= MULTIPLIERS || slice > 0) return;
  c += c_offset + batch * c_stride;
  const int row = tile.x * TILE_M + block * BLOCK_LINES + item % 128 / 32 * 16 + item % 32 / 4;
#pragma unroll
  for (int i = 0; i < TILE_N / 8; ++i) {
    const int column = tile.y * TILE_N + i * 8 + item % 4 * 2;
    store2_c(c, ldc, m, n, row, column, alpha, (float2)(sums[4 * i], sums[4 * i + 1]), beta);
    store2_c(c, ldc, m, n, row + 8, column, alpha, (float2)(sums[4 * i + 2], sums[4 * i + 3]), beta);
  }
}
