// clgemm: tf32x3_shallow
// summary: fp32 on the tensor cores of NVIDIA Hopper, for small k: three products of TF32 parts
// operands: in_place
// precision: fp32_equivalent
// least_k: 29
// most_k: 64
// ptx: sm_90a
// tile: 64 128 32
// local: 256
// grid: tiles
// persistent: 2
// registers: 128
// require: nvidia_sm == 90
// calibrate: defaults

// For products with so small a k that operands and results take longer than the multiplication. The technique
// is in common/tf32x3_steps.cl. X has columns of C, Y has rows.
//
// A work-group computes tiles beside each other, and then goes on in the next row of tiles. It makes the
// planes of the row's lines of A once. Its warpgroups take turns with the tiles, independently of each
// other. While a warpgroup multiplies and stores a tile, the columns of B for its next one arrive. Two
// work-groups run at a time on a compute unit, so four warpgroups wait, multiply or store at different times.
// In the manifest, the tiles of both warpgroups count as one of 128 columns. So clgemm knows that one of them
// has nothing to do if n is at most 64.
//
// If rows of C are no multiples of a cache's sector, tiles beside each other share sectors. They are stored
// at about the same time. When work-groups went down columns of tiles, memory got many sectors in two parts.
// Then 8001 x 8001 x 64 took 201 us, and takes 156. 8268 x 5491 x 48 took 218, and takes 109 (H200, 29
// November 2026).
//
// From k = 29 on, its bound is small enough. 1853 x 5460 x 31 with gaps and a beta takes 34 us, and 48 with
// `direct`. 5132 x 2876 x 30 takes 33 us instead of 40 (H200, 29 November 2026).
//
// 8000 x 8000 x 64 takes 126 us, and 214 with the best other kernel. 4000 x 4000 x 64 with a beta takes 49 us
// instead of 73, and 64 products of 1024 x 1024 x 64 take 142 us instead of 221 (H200, November 2026).
#define SWAP 1
#define TILE_X 64
#define TILE_Y 64
#define DEPTH 64
#define WARPGROUPS 2
#define SLICE_MULTIPLIERS 128
#define C_STRIDE (TILE_X + 4)
#define LOADS_STAY
#include "common/arguments.cl"
#include "common/multiply.cl"
#include "common/tf32x3_steps.cl"
#include "common/tile_runs.cl"

// The memory: the planes of A's rows for all of k, then two buffers for each warpgroup. One of them holds the
// columns of B of a tile, and later the tile. Meanwhile the columns of the next tile come into the other one.
#define STEPS (DEPTH / STEP)
#define PLANES_BYTES (STEPS * 2 * PLANE_BYTES)
#define TILE_BYTES (4 * TILE_Y * C_STRIDE)
#if STEPS != WARPGROUPS
#error "each warpgroup makes the planes of one step"
#endif
#define BUFFER_BYTES (STEPS * X_BYTES > TILE_BYTES ? STEPS * X_BYTES : TILE_BYTES)
#define MEMORY_BYTES (PLANES_BYTES + WARPGROUPS * 2 * BUFFER_BYTES)

// Stands between what the work-items of a warpgroup do.
INLINED void warpgroup_barrier(const int warpgroup) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");
}

// A barrier that tells all work-items of a warpgroup whether one of them has said yes.
INLINED bool any_of_warpgroup(const int warpgroup, const bool yes) {
  uint any;
  asm volatile(
      "{ .reg .pred yes; .reg .pred any; setp.ne.u32 yes, %1, 0; bar.red.or.pred any, %2, 128, yes; "
      "selp.u32 %0, 1, 0, any; }"
      : "=r"(any)
      : "r"((uint)yes), "r"(1 + warpgroup)
      : "memory");
  return any != 0;
}

// Returns the same call, but the compiler does not know that. So it computes addresses for each tile when
// they are needed. Otherwise it would keep them in registers while a tile is multiplied.
INLINED Multiply forgotten(const Multiply* call) {
  const int zero = unknown_zero();
  const Multiply same = {call->m + zero,   call->n + zero,   call->k + zero,   call->alpha,
                         call->beta,       call->a + zero,   call->b + zero,   call->c + zero,
                         call->lda + zero, call->ldb + zero, call->ldc + zero};
  return same;
}

// Returns the number of this work-item in its warpgroup, and the compiler does not know that either.
INLINED int item_of_warpgroup(void) {
  return get_local_id(0) % SLICE_MULTIPLIERS + unknown_zero();
}

// Returns the columns of B of a tile.
INLINED Source columns_from(const Multiply* call, const int first_column) {
  const Source columns = {call->b + (TRANSPOSE_B ? first_column * call->ldb : first_column), call->ldb,
                          call->n - first_column, call->k};
  return columns;
}

// Starts to copy the columns of B of a tile.
INLINED void copy_columns(const uint buffer, const Multiply* call, const int first_column) {
  const Multiply again = forgotten(call);
  const Source columns = columns_from(&again, first_column);
  const int item = item_of_warpgroup();
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
    if (step * STEP < again.k)
      copy_lines(item, buffer + step * X_BYTES, columns, X_ALONG_K, TILE_X, X_STRIDE, step * STEP);
  }
}

// Makes the planes of a row of tiles. Each warpgroup makes those of one step, by way of its `buffer`, and
// waits for all copies that it has started. `least` becomes the least of A.
INLINED void make_planes(__local char* planes, __local char* buffer, __local uint* least,
                         const Multiply* call, const int first_row) {
  const Multiply again = forgotten(call);
  const Source rows = {again.a + (TRANSPOSE_A ? first_row : first_row * again.lda), again.lda,
                       again.m - first_row, again.k};
  const int item = item_of_warpgroup();
  const int shift = shift_of(rows, Y_ALONG_K ? item / 8 : item % STEP);
  const int step = get_local_id(0) / COPIERS;
  if (get_local_id(0) == 0) *least = UINT_MAX;
  copy_lines(item, shared_address(buffer), rows, Y_ALONG_K, TILE_Y, Y_STRIDE, step * STEP);
  copies_commit();
  COPIES_WAIT(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint mine = UINT_MAX;
  split_planes(item, (__local uint*)(planes + step * 2 * PLANE_BYTES), &mine, (const __local float*)buffer,
               is_shifted(rows), shift);
  if (mine < *least) atomic_min(least, mine);
  fence_for_async();
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds up a warpgroup's products along k, for the tile whose columns of B are in `buffer`: the small ones of
// both steps, then the others, all in one sum. Returns the least of B. The low parts of the first step leave
// their registers before those of the second step come. If k is at most STEP, there is only one step.
INLINED uint multiply_columns(float* sums, const __local char* buffer, const uint planes,
                              const Multiply* call, const int first_column) {
  const Multiply again = forgotten(call);
  const Source columns = columns_from(&again, first_column);
  const int lane = item_of_warpgroup() % 32;
  const bool shifted = is_shifted(columns);
  const __local float* x =
      (const __local float*)buffer + place_in_x(shifted, shift_of(columns, X_ALONG_K ? lane / 4 : lane % 4));
  uint least = UINT_MAX;
  Fragments first, second;
  if (call->k <= STEP) {
    start_small_products(sums, &first, &least, x, shifted, planes, 0);
    start_large_products(sums, &first, planes);
    wgmma_commit();
    wgmma_wait(sums);
    keep_parts(first.high);
    keep_parts(first.low);
    return least;
  }
  start_small_products(sums, &first, &least, x, shifted, planes, 0);
  wgmma_commit();
  wgmma_wait(sums);
  keep_parts(first.low);
  start_small_products(sums, &second, &least, x + X_BYTES / 4, shifted, planes + 2 * PLANE_BYTES, 1);
  start_large_products(sums, &first, planes);
  start_large_products(sums, &second, planes + 2 * PLANE_BYTES);
  wgmma_commit();
  wgmma_wait(sums);
  keep_parts(first.high);
  keep_parts(second.high);
  keep_parts(second.low);
  return least;
}

// Computes a warpgroup's tile in plain fp32, for numbers that TF32 cannot hold, and for any k. A work-item
// computes some rows at a time of one column.
#define ROWS_AT_ONCE 8
INLINED void multiply_plainly(const Multiply* known, const int first_row, const int first_column) {
  const Multiply again = forgotten(known);
  const Multiply* call = &again;
  const int item = item_of_warpgroup();
  const int column = first_column + item % TILE_X;
  if (column >= call->n) return;
  for (int first = item / TILE_X * ROWS_AT_ONCE; first < TILE_Y;
       first += SLICE_MULTIPLIERS / TILE_X * ROWS_AT_ONCE) {
    const int row = first_row + first;
    if (row >= call->m) return;
    float sums[ROWS_AT_ONCE] = {0.0f};
    for (int depth = 0; depth < call->k; ++depth) {
      const float b = call->b[TRANSPOSE_B ? column * call->ldb + depth : depth * call->ldb + column];
#pragma unroll
      for (int i = 0; i < ROWS_AT_ONCE; ++i) {
        const ulong line = min(row + i, call->m - 1);
        const float a = call->a[TRANSPOSE_A ? depth * call->lda + line : line * call->lda + depth];
        sums[i] = MULTIPLY_ADD(a, b, sums[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < ROWS_AT_ONCE; ++i) {
      if (row + i < call->m)
        store_c(call->c, call->ldc, call->m, call->n, row + i, column, call->alpha, sums[i], call->beta);
    }
  }
}

// Stores a warpgroup's tile by way of `buffer`.
INLINED void store_sums(const Multiply* call, const float* sums, __local char* buffer, const int first_row,
                        const int first_column) {
  const Multiply again = forgotten(call);
  const int item = item_of_warpgroup();
  add_to_tile(item, (__local float*)buffer, sums, true);
  warpgroup_barrier(get_local_id(0) / SLICE_MULTIPLIERS);
  const Tile tile = {(__local float*)buffer, TILE_Y, TILE_X, C_STRIDE, 1, 0};
  store_tile_of_c(target_of(&again, first_row, first_column), tile, item, SLICE_MULTIPLIERS);
}

// Brings a warpgroup's tile of C nearer.
INLINED void prefetch_c(const Multiply* call, const int first_row, const int first_column) {
  if (call->beta == 0.0f) return;
  const Multiply again = forgotten(call);
  const int item = item_of_warpgroup();
  prefetch_tile_of_c_by(target_of(&again, first_row, first_column), TILE_Y, TILE_X, item, SLICE_MULTIPLIERS);
}

// Computes the tiles of one row from column `tile` of tiles on, every WARPGROUPS-th of them.
INLINED void multiply_row(const Multiply* call, __local char* memory, __local uint* least_a, int tile,
                          const int end, const int first_row) {
  const int warpgroup = get_local_id(0) / SLICE_MULTIPLIERS;
  __local char* buffer = memory + PLANES_BYTES + warpgroup * 2 * BUFFER_BYTES;
  int to_other = BUFFER_BYTES;
  tile += warpgroup;
  barrier(CLK_LOCAL_MEM_FENCE);  // all have finished the last row
  if (tile < end) copy_columns(shared_address(buffer), call, tile * TILE_X);
  make_planes(memory, buffer + to_other, least_a, call, first_row);
  for (; tile < end; tile += WARPGROUPS) {
    const int first_column = tile * TILE_X;
    COPIES_WAIT(0);
    warpgroup_barrier(warpgroup);  // all of its columns have arrived, and its last tile is stored
    if (tile + WARPGROUPS < end)
      copy_columns(shared_address(buffer + to_other), call, first_column + WARPGROUPS * TILE_X);
    copies_commit();
    prefetch_c(call, first_row, first_column);
    float sums[SUMS];
    const uint least = multiply_columns(sums, buffer, shared_address(memory), call, first_column);
    const bool exact = call->k <= DEPTH && are_numbers(sums) && are_large_enough(least, *least_a);
    if (any_of_warpgroup(warpgroup, !exact)) {
      multiply_plainly(call, first_row, first_column);
    } else {
      store_sums(call, sums, buffer, first_row, first_column);
    }
    buffer += to_other;
    to_other = -to_other;
  }
}

// No pointer is `restrict`, for the reason given in direct.cl.
__kernel __attribute__((reqd_work_group_size(WARPGROUPS * SLICE_MULTIPLIERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local char memory[MEMORY_BYTES] __attribute__((aligned(1024)));
  __local uint least_a;
  const size_t batch = get_global_id(2);
  const Multiply call = {m,
                         n,
                         k,
                         alpha,
                         beta,
                         a + a_offset + batch * a_stride,
                         b + b_offset + batch * b_stride,
                         c + c_offset + batch * c_stride,
                         lda,
                         ldb,
                         ldc};
  const int down = (m + TILE_Y - 1) / TILE_Y;
  const int across = (n + TILE_X - 1) / TILE_X;
  Tiles tiles = tiles_of_group(down * across);
  while (tiles.next < tiles.end) {
    const Run run = take_run(&tiles, across);
    multiply_row(&call, memory, &least_a, run.column, run.end, run.row * TILE_Y);
  }
}
