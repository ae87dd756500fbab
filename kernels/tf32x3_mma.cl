// clgemm: tf32x3_mma
// summary: fp32 on the tensor cores of NVIDIA Ampere and later, no packing: three products of TF32 parts
// operands: in_place
// precision: fp32_equivalent
// least_k: 32
// param: TILE_M = 128 in 32 64 128
// param: TILE_N = 64 in 32 64 128
// param: WARP_M = 64 in 32 64         rows of a warp; it has 32 columns
// param: STAGES = 3 in 2 3 4
// param: BAND = 8 in 1 8
// adds_parts: 1
// tile: TILE_M TILE_N 32
// local: TILE_M*TILE_N/WARP_M
// grid: tiles
// align: 4
// require: nvidia_sm >= 80
// require: TILE_M >= WARP_M
// require: TILE_M*TILE_N/WARP_M >= TILE_M && TILE_M*TILE_N/WARP_M >= TILE_N && TILE_M*TILE_N/WARP_M <= 512
// require: 160*STAGES*(TILE_M+TILE_N) <= 122880
// products: 3
// matrix_units: tf32
// estimate: TILE_M TILE_N WARP_M: 128 64 64, 64 64 32, 64 32 32
// calibrate: TILE_M TILE_N WARP_M: 128 64 64, 64 64 32, 64 32 32

// For shapes whose packing (fp16x3_mma.cl) would take as long as their multiplication: medium sizes, few rows
// or columns, small k. It has the instructions that every tensor core has had since Ampere. The parts of
// numbers and their limits are in common/tf32.cl.
//
// A step is STEP depths. Asynchronous copies bring the rows of A and B to local memory unchanged, STAGES
// steps ahead. A warp computes WARP_M x 32 of the tile. It makes the parts of both operands itself, in
// registers. The tensor core truncates when it adds. So its sums start from zero again every 8 of k, and fp32
// units add them up.
#if !defined(TILE_M) || !defined(TILE_N) || !defined(WARP_M) || !defined(STAGES) || !defined(BAND)
#error "tf32x3_mma needs TILE_M, TILE_N, WARP_M, STAGES and BAND"
#endif
#define LOADS_STAY
#define ROWS TILE_M
#define COLUMNS TILE_N
#define WARP_N 32
#define MULTIPLIERS (TILE_M * TILE_N / WARP_M)  // all work-items: 32 for each warp
#define TM (WARP_M / 8)
#define TN 8
#define SLICES 1
#define C_STRIDE (TILE_N + 8)
#define STEP 32
#define COPIERS MULTIPLIERS
#define INLINED static inline __attribute__((always_inline))  // inlined, so that arrays can live in registers
#include "common/arguments.cl"
#include "common/copy_lines.cl"
#include "common/tf32.cl"
#include "common/mma_tf32.cl"

// The layout of the operands, in memory and in a stage: A, then B. The strides leave room for shifts and
// spread rows over the banks.
#define A_ALONG_K (!TRANSPOSE_A)
#define B_ALONG_K TRANSPOSE_B
#define LINES_STRIDE(along_k, lines) ((along_k) ? STEP + 4 : (lines) + 8)
#define LINES_FLOATS(along_k, lines) (LINES_STRIDE(along_k, lines) * ((along_k) ? (lines) : STEP))
#define STAGE_FLOATS (LINES_FLOATS(A_ALONG_K, TILE_M) + LINES_FLOATS(B_ALONG_K, TILE_N))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define MEMORY_FLOATS MOST(STAGES * STAGE_FLOATS, MOST(TILE_M * C_STRIDE, SLICES_MEMORY))

#define ROW_STEPS (WARP_M / 16)
#define COLUMN_STEPS (WARP_N / 8)

// Adds the products of 8 of k, the small ones first, in fresh sums.
INLINED void multiply_eight(float sums[ROW_STEPS][COLUMN_STEPS][4], Noticed* least, const WarpLines* a_lines,
                            const WarpLines* b_lines, const int depth) {
  Fragment b[COLUMN_STEPS / 2];
#pragma unroll
  for (int i = 0; i < COLUMN_STEPS / 2; ++i)
    load_fragment(&b[i], &least->least_y, b_lines, i * 16, depth);
#pragma unroll
  for (int row = 0; row < ROW_STEPS; ++row) {
    Fragment a;
    float fresh[COLUMN_STEPS][4];
    load_fragment(&a, &least->least_x, a_lines, row * 16, depth);
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) fresh[i / 4][i % 4] = 0.0f;
#pragma unroll
    for (int product = LOW_HIGH; product <= HIGH_HIGH; ++product) {
#pragma unroll
      for (int i = 0; i < COLUMN_STEPS; ++i) mma(fresh[i], &a, &b[i / 2], i % 2, product);
    }
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS * 4; ++i) sums[row][i / 4][i % 4] += fresh[i / 4][i % 4];
  }
}

// Hides from the compiler that an operand stays where it is. Otherwise it keeps the addresses of all copies
// from one step to the next. With tiles of 128 x 64, clang and ptxas then spilled 144 bytes on sm_80.
INLINED Source found_again(Source source) {
#if defined(__NV_CL_C_VERSION)
  ulong first = (ulong)source.first;
  asm volatile("" : "+l"(first), "+l"(source.ld));
  source.first = (const __global float*)first;
#endif
  return source;
}

INLINED void copy_step(__local float* memory, const int stage, const Source rows, const Source columns,
                       const int from) {
  const Shared place = shared_address(memory + stage * STAGE_FLOATS);
  copy_lines(place, found_again(rows), A_ALONG_K, TILE_M, LINES_STRIDE(A_ALONG_K, TILE_M), from);
  copy_lines(place + 4 * LINES_FLOATS(A_ALONG_K, TILE_M), found_again(columns), B_ALONG_K, TILE_N,
             LINES_STRIDE(B_ALONG_K, TILE_N), from);
}

// Adds up the products along k.
INLINED void multiply_steps(float sums[ROW_STEPS][COLUMN_STEPS][4], Noticed* least, __local float* memory,
                            const Source rows, const Source columns, const int warp_row,
                            const int warp_column) {
  WarpLines a = warp_lines(memory, warp_row, rows, A_ALONG_K, ALIGNED_A, LINES_STRIDE(A_ALONG_K, TILE_M));
  WarpLines b = warp_lines(memory + LINES_FLOATS(A_ALONG_K, TILE_M), warp_column, columns, B_ALONG_K,
                           ALIGNED_B, LINES_STRIDE(B_ALONG_K, TILE_N));
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS * 4; ++i)
    sums[i / (COLUMN_STEPS * 4)][i / 4 % COLUMN_STEPS][i % 4] = 0.0f;
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage * STEP < rows.depth) copy_step(memory, stage, rows, columns, stage * STEP);
    copies_commit();
  }
  int stage = 0;
  for (int depth = 0; depth < rows.depth; depth += STEP) {
    COPIES_WAIT(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);  // all copies have arrived, and the stage that is filled next is free
    const int ahead = depth + (STAGES - 1) * STEP;
    if (ahead < rows.depth) copy_step(memory, stage == 0 ? STAGES - 1 : stage - 1, rows, columns, ahead);
    copies_commit();
#pragma unroll 2
    for (int i = 0; i < STEP; i += 8) multiply_eight(sums, least, &a, &b, i);
    const int to_next = stage == STAGES - 1 ? -(STAGES - 1) * STAGE_FLOATS : STAGE_FLOATS;
    a.place += to_next;
    b.place += to_next;
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
  COPIES_WAIT(0);
}

// Puts a warp's sums into the tile in local memory. Two neighbouring 8 columns of a fragment are even and odd
// columns if B's lines do not lie along k.
INLINED void put_warp(__local float* tile, const float sums[ROW_STEPS][COLUMN_STEPS][4], const int warp_row,
                      const int warp_column) {
  const int lane = get_local_id(0) % 32;
  const int below = A_ALONG_K ? 8 : 1;
  const int first = warp_row + lane / 4 * (A_ALONG_K ? 1 : 2);
#pragma unroll
  for (int row = 0; row < ROW_STEPS; ++row) {
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS; i += 2) {
#pragma unroll
      for (int lower = 0; lower < 2; ++lower) {
        __local float* to = tile + (first + row * 16 + lower * below) * C_STRIDE + warp_column + i * 8;
        const float* left = sums[row][i] + lower * 2;
        const float* right = sums[row][i + 1] + lower * 2;
        if (B_ALONG_K) {
          *(__local float2*)(to + lane % 4 * 2) = (float2)(left[0], left[1]);
          *(__local float2*)(to + 8 + lane % 4 * 2) = (float2)(right[0], right[1]);
        } else {
          *(__local float4*)(to + lane % 4 * 4) = (float4)(left[0], right[0], left[1], right[1]);
        }
      }
    }
  }
}

// No pointer is `restrict`, for the reason given in direct.cl.
__kernel __attribute__((reqd_work_group_size(MULTIPLIERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, PARTS_ARGUMENTS) {
  __local float4 memory[MEMORY_FLOATS / 4];
  __local Noticed noticed;
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const size_t batch = is_part ? 0 : get_global_id(2);
  __global const float* a_first = a + a_offset + batch * a_stride + first_k * (TRANSPOSE_A ? lda : 1);
  __global const float* b_first = b + b_offset + batch * b_stride + first_k * (TRANSPOSE_B ? 1 : ldb);
  __global float* c_first = c + c_offset + batch * c_stride;
  const Multiply call = {m,
                         n,
                         min(k - first_k, part_depth),
                         is_part ? 1.0f : alpha,
                         is_part ? 0.0f : beta,
                         a_first,
                         b_first,
                         is_part ? result_of_part(&parts) : c_first,
                         lda,
                         ldb,
                         is_part ? parts_ld : ldc};
  const int2 first = tile_of(&call);
  if (get_local_id(0) == 0) noticed = (Noticed){UINT_MAX, UINT_MAX, 0};
  const Source rows = {call.a + (TRANSPOSE_A ? first.x : first.x * lda), lda, m - first.x, call.k};
  const Source columns = {call.b + (TRANSPOSE_B ? first.y * ldb : first.y), ldb, n - first.y, call.k};
  prefetch_tile_of_c(target_of(&call, first.x, first.y), TILE_M, TILE_N, MULTIPLIERS);
  const int warp = get_local_id(0) / 32;
  const int warp_row = warp / (TILE_N / WARP_N) * WARP_M;
  const int warp_column = warp % (TILE_N / WARP_N) * WARP_N;
  float sums[ROW_STEPS][COLUMN_STEPS][4];
  Noticed least = {UINT_MAX, UINT_MAX, 0};
  multiply_steps(sums, &least, (__local float*)memory, rows, columns, warp_row, warp_column);
  float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS * 4; ++i)
    zeros[i % 4] = still_zero(zeros[i % 4], sums[i / (COLUMN_STEPS * 4)][i / 4 % COLUMN_STEPS][i % 4]);
  least.is_strange = !(zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0.0f);
  if (least.least_x < noticed.least_x) atomic_min(&noticed.least_x, least.least_x);
  if (least.least_y < noticed.least_y) atomic_min(&noticed.least_y, least.least_y);
  if (least.is_strange) noticed.is_strange = 1;
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read the last stage and left what they noticed
  if (is_exact(&noticed)) {
    put_warp((__local float*)memory, sums, warp_row, warp_column);
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    multiply_again(&call, memory, first.x, first.y);
  }
  const Tile tile = {(const __local float*)memory, TILE_M, TILE_N, C_STRIDE, 1, 0};
  store_tile_of_c(target_of(&call, first.x, first.y), tile, get_local_id(0), MULTIPLIERS);
  if (is_part && is_last_part(&parts, get_group_id(0), (__local uint*)memory))
    add_parts(&parts, MULTIPLIERS, TILE_M, TILE_N, c_first, ldc, m, n, first.x, first.y, alpha, beta);
}
