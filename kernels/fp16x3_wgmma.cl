// clgemm: fp16x3_wgmma
// summary: fp32 on the tensor cores of NVIDIA Hopper: three products of scaled fp16 planes, added in fp32
// operands: fp16_planes
// otherwise: otherwise_fp32
// precision: fp32_equivalent
// ptx: sm_90a
// param: TILE_M = 128 in 64 128 192 256
// param: TILE_N = 256 in 64 128 192 256
// param: WIDTH = 64 in 64 128 192 256
// param: SLICES = 1 in 1 2 4
// param: STEP = 2 in 1 2 4
// param: STAGES = 4 in 2 3 4 5 6 8
// param: BAND = 8 in 1 4 8 16
// param: MODE = 1 in 0 1 2 3
// param: PROMOTE = 2 in 1 2 4 8
// param: A_LOCAL = 0 in 0 1
// tile: TILE_M TILE_N 16*STEP
// local: TILE_M/64*SLICES*128+128
// grid: tiles
// require: nvidia_sm == 90
// require: TILE_M/64*SLICES <= 4 && STAGES % SLICES == 0
// require: TILE_N % WIDTH == 0
// require: (TILE_M+TILE_N)/64*4096*STEP*STAGES <= 229376
// require: (SLICES-1)*TILE_M*TILE_N*4 <= (TILE_M+TILE_N)/64*4096*STEP*STAGES

// fp32 from fp16 (common/fp16_planes.cl): with a = h + 2^-11 l and b likewise, h h' + 2^-11 (h l' + l h') is the product but
// for 2^-22 l l'.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(SLICES) || !defined(STEP) || !defined(STAGES) || !defined(BAND)
#error "fp16x3_wgmma needs TILE_M, TILE_N, SLICES, STEP, STAGES and BAND"
#endif
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/ring.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"
#include "common/wgmma.cl"

#define MULTIPLIERS (M_BLOCKS * SLICES * 128)
#define MULTIPLIERS_BARRIER asm volatile("bar.sync 1, %0;" ::"n"(MULTIPLIERS) : "memory")
#define SUMS (TILE_N / 2)      // of a work-item
#define PIECE_SUMS (WIDTH / 2)
#define PIECES (TILE_N / WIDTH)

#if WIDTH == 128
#define WGMMA wgmma_128
#define WGMMA_LOCAL wgmma_local_128
#define WGMMA_FENCE wgmma_fence_128
#define WGMMA_WAIT wgmma_wait_128
#define WGMMA_WAIT_BUT_LAST wgmma_wait_but_last_128
#else
#define WGMMA wgmma_64
#define WGMMA_LOCAL wgmma_local_64
#define WGMMA_FENCE wgmma_fence_64
#define WGMMA_WAIT wgmma_wait_64
#define WGMMA_WAIT_BUT_LAST wgmma_wait_but_last_64
#endif

// What setmaxnreg hands from the warpgroup that copies to those that multiply: a sub-partition has 512 for each of its lanes.
#if TILE_M / 64 * SLICES == 2
#define FEWER_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 24;")
#define MORE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 240;")
#elif TILE_M / 64 * SLICES == 3
#define FEWER_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 32;")
#define MORE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 160;")
#elif TILE_M / 64 * SLICES == 4
#define FEWER_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 32;")
#define MORE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 120;")
#else
#define FEWER_REGISTERS
#define MORE_REGISTERS
#endif

static inline void named_sync(const uint id) {
  asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory");
}
static inline void named_arrive(const uint id) {
  asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory");
}

static inline void add_scaled(float* sums, const float* d, const float scale) {
#pragma unroll
  for (int i = 0; i < PIECE_SUMS; ++i) sums[i] = MULTIPLY_ADD(d[i], scale, sums[i]);
}
static inline void add_plain(float* sums, const float* d) {
#pragma unroll
  for (int i = 0; i < PIECE_SUMS; ++i) sums[i] += d[i];
}

static inline void issue_cross(float* d, const int none, uint high[STEP][4], uint low[STEP][4], const uint a, const uint b) {
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    const uint b_step = b + step * N_BLOCKS * BLOCK_BYTES;
#if A_LOCAL
    WGMMA_LOCAL(d, plane_descriptor(a + step * BLOCK_BYTES + PLANE_BYTES), plane_descriptor(b_step), step > 0 ? 1 : none);
#else
    WGMMA(d, low[step], plane_descriptor(b_step), step > 0 ? 1 : none);
#endif
    WGMMA(d, high[step], plane_descriptor(b_step + PLANE_BYTES), 1);
  }
  wgmma_commit();
}

static inline void issue_product(float* d, const int keep, uint high[STEP][4], const uint b) {
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    WGMMA(d, high[step], plane_descriptor(b + step * N_BLOCKS * BLOCK_BYTES), step > 0 ? 1 : keep);
  }
  wgmma_commit();
}

static inline void multiply_step(float* sums, float* cross, float* product, const uint a, const uint b, const int turn, const int none) {
  const int item = get_local_id(0);
  const uint a_line =
      a + item % 128 / 8 % 2 * GROUP_BYTES + item % 128 / 32 * 2 * GROUP_BYTES + item % 32 / 16 * CORE_BYTES + item % 8 * 16;
  uint high[STEP][4];
  uint low[STEP][4];
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    load_matrices(high[step], a_line + step * BLOCK_BYTES);
#if !A_LOCAL
    load_matrices(low[step], a_line + step * BLOCK_BYTES + PLANE_BYTES);
#endif
  }
#if MODE == 0 || MODE == 2
  float* d = cross;
#pragma unroll
  for (int piece = 0; piece < PIECES; ++piece) {
    const uint b_piece = b + piece * (WIDTH / 64) * BLOCK_BYTES;
#if MODE == 2
    named_sync(2 + turn);
#endif
    WGMMA_FENCE(d);
    issue_cross(d, none, high, low, a, b_piece);
#if MODE == 2
    named_arrive(3 - turn);
#endif
    WGMMA_WAIT(d);
#pragma unroll
    for (int i = 0; i < PIECE_SUMS; ++i) d[i] *= LOW_SCALE;
#if MODE == 2
    named_sync(2 + turn);
#endif
    WGMMA_FENCE(d);
    issue_product(d, 1, high, b_piece);
#if MODE == 2
    named_arrive(3 - turn);
#endif
    WGMMA_WAIT(d);
    add_plain(sums + piece * PIECE_SUMS, d);
  }
#else
#pragma unroll
  for (int piece = 0; piece < PIECES; ++piece) {
    const uint b_piece = b + piece * (WIDTH / 64) * BLOCK_BYTES;
    WGMMA_FENCE(cross);
    issue_cross(cross, none, high, low, a, b_piece);
    if (piece > 0) {
      WGMMA_WAIT_BUT_LAST(product);
      add_plain(sums + (piece - 1) * PIECE_SUMS, product);
    }
    WGMMA_FENCE(product);
    issue_product(product, none, high, b_piece);
    WGMMA_WAIT_BUT_LAST(cross);
    add_scaled(sums + piece * PIECE_SUMS, cross, LOW_SCALE);
  }
  WGMMA_WAIT(product);
  add_plain(sums + (PIECES - 1) * PIECE_SUMS, product);
#endif
}

#if MODE == 3
static inline __attribute__((always_inline)) void load_a(uint high[STEP][4], uint low[STEP][4], const uint a) {
  const int item = get_local_id(0);
  const uint a_line =
      a + item % 128 / 8 % 2 * GROUP_BYTES + item % 128 / 32 * 2 * GROUP_BYTES + item % 32 / 16 * CORE_BYTES + item % 8 * 16;
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    load_matrices(high[step], a_line + step * BLOCK_BYTES);
#if !A_LOCAL
    load_matrices(low[step], a_line + step * BLOCK_BYTES + PLANE_BYTES);
#endif
  }
}

typedef struct {
  int left, stage, previous, pending;
  uint parity;
} Walk;

static inline __attribute__((always_inline)) bool next_step(float* sums, float* cross, float* product, uint high[STEP][4], uint low[STEP][4],
                             uint next_high[STEP][4], uint next_low[STEP][4], Walk* walk, const int block, const uint memory,
                             const uint barriers) {
  const uint place = memory + walk->stage * STAGE_BYTES;
  WGMMA_FENCE(cross);
  WGMMA_FENCE(product);
  issue_product(product, walk->pending, high, place + A_BYTES);
  issue_cross(cross, 1, high, low, place + block * STEP * BLOCK_BYTES, place + A_BYTES);
  WGMMA_WAIT_BUT_LAST(product);
  if (++walk->pending == PROMOTE) {
    add_plain(sums, product);
    walk->pending = 0;
  }
  if (walk->previous >= 0 && get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, walk->previous));
  walk->previous = walk->stage;
  walk->left -= SLICES * BLOCK_DEPTH * STEP;
  if (walk->left <= 0) return false;
  walk->stage += SLICES;
  if (walk->stage >= STAGES) {
    walk->stage -= STAGES;
    walk->parity ^= 1;
  }
  mbarrier_wait(full_barrier(barriers, walk->stage), walk->parity);
  load_a(next_high, next_low, memory + walk->stage * STAGE_BYTES + block * STEP * BLOCK_BYTES);
  return true;
}

static inline void multiply_steps(float* sums, const int k, const int slice, const int block, const uint memory,
                                  const uint barriers) {
  float cross[SUMS];
  float product[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sums[i] = cross[i] = product[i] = 0.0f;
  uint high[2][STEP][4];
  uint low[2][STEP][4];
  Walk walk = {k - slice * BLOCK_DEPTH * STEP, slice, -1, 0, 0};
  if (walk.left > 0) {
    mbarrier_wait(full_barrier(barriers, slice), 0);
    load_a(high[0], low[0], memory + slice * STAGE_BYTES + block * STEP * BLOCK_BYTES);
    while (true) {
      if (!next_step(sums, cross, product, high[0], low[0], high[1], low[1], &walk, block, memory, barriers)) break;
      if (!next_step(sums, cross, product, high[1], low[1], high[0], low[0], &walk, block, memory, barriers)) break;
    }
  }
  WGMMA_WAIT(cross);
  if (walk.pending) add_plain(sums, product);
  add_scaled(sums, cross, LOW_SCALE);
}
#else
// The steps of one slice.
static inline void multiply_steps(float* sums, const int k, const int slice, const int block, const uint memory,
                                  const uint barriers) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sums[i] = 0.0f;
  float cross[PIECE_SUMS];
  float product[PIECE_SUMS];
#pragma unroll
  for (int i = 0; i < PIECE_SUMS; ++i) cross[i] = product[i] = 0.0f;
  int stage = slice % STAGES;
  uint parity = slice / STAGES % 2;
#if MODE == 2
  if (block == 1) named_arrive(2);
#endif
  for (int step = slice; step * BLOCK_DEPTH * STEP < k; step += SLICES) {
    const uint place = memory + stage * STAGE_BYTES;
    mbarrier_wait(full_barrier(barriers, stage), parity);
    multiply_step(sums, cross, product, place + block * STEP * BLOCK_BYTES, place + A_BYTES, block, k < 0);
    if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, stage));
    stage += SLICES;
    if (stage >= STAGES) {
      stage -= STAGES;
      parity ^= 1;
    }
  }
#if MODE == 2
  if (block == 0) named_sync(2);
#endif
}
#endif

__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + 128, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes) {
  __local char memory[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES];
  __local Extremes extremes;
  const int item = get_local_id(0);
  const uint stages = shared_address(memory);
  const uint stage_barriers = shared_address(barriers);
  const int2 tile = tile_position((m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, BAND);
  const size_t batch = get_global_id(2);
  const int warpgroup = item / 128;
  const int slice = SLICES == 1 ? 0 : warpgroup / M_BLOCKS;  // then addresses are alike for all, which saves registers
  const int block = warpgroup % M_BLOCKS;
  const ulong strip = strip_bytes(k);
  const __global char* a_strips = (const __global char*)(a + a_offset + batch * a_stride) + tile.x * M_BLOCKS * strip;
  const __global char* b_strips = (const __global char*)(b + b_offset + batch * b_stride) + tile.y * N_BLOCKS * strip;

  if (item == 0) {
    make_ring(stage_barriers, M_BLOCKS * 4);
    extremes = (Extremes){0, 0, 0, 0};
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (item >= MULTIPLIERS) {
    FEWER_REGISTERS;
    if (item == MULTIPLIERS) {
      copy_steps(a_strips + HEADER_BYTES, b_strips + HEADER_BYTES, strip, k, stages, stage_barriers);
    }
    return;
  }
  MORE_REGISTERS;
  // While the first copies are on their way.
  gather_all_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, item, MULTIPLIERS);
  float sums[SUMS];
  multiply_steps(sums, k, slice, block, stages, stage_barriers);
  MULTIPLIERS_BARRIER;
  if (!leave_verdict(planes_are_exact(&extremes, k), notes, notes_offset, a_notes, a_stride, b_notes, b_stride)) return;
#if SLICES > 1
  // The slices' sums meet in local memory, in the order of the slices.
  __local float* parts = (__local float*)memory + item % (M_BLOCKS * 128);
  if (slice > 0) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) parts[((slice - 1) * SUMS + i) * M_BLOCKS * 128] = sums[i];
  }
  MULTIPLIERS_BARRIER;
  if (slice > 0) return;
  for (int other = 0; other < SLICES - 1; ++other) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] += parts[(other * SUMS + i) * M_BLOCKS * 128];
  }
#endif

  c += c_offset + batch * c_stride;
  const int line = item % 128 / 32 * 16 + item % 32 / 4;
  const int row = tile.x * TILE_M + block * BLOCK_LINES + line;
  const __global int* row_exponents = (const __global int*)(a_strips + block * strip) + line;
  const int upper = row_exponents[0];
  const int lower = row_exponents[8];
#pragma unroll
  for (int i = 0; i < TILE_N / 8; ++i) {
    const __global int* exponents = (const __global int*)(b_strips + i * 8 / BLOCK_LINES * strip) + i * 8 % BLOCK_LINES + item % 4 * 2;
    const int2 both = (int2)(exponents[0], exponents[1]);
    const int column = tile.y * TILE_N + i * 8 + item % 4 * 2;
    store2_c(c, ldc, m, n, row, column, alpha, scaled_back((float2)(sums[4 * i], sums[4 * i + 1]), upper + both), beta);
    store2_c(c, ldc, m, n, row + 8, column, alpha, scaled_back((float2)(sums[4 * i + 2], sums[4 * i + 3]), lower + both), beta);
  }
}
