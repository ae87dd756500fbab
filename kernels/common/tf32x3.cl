// Computes tiles of C as three products of TF32 parts on Hopper's tensor cores (common/tf32x3_steps.cl), with
// a ring of steps. It is for tf32x3_wgmma.cl and helpers/fallback_tf32x3.cl.
//
// SLICES share k; each slice has its own work-items for every SLICES-th step. These are TILE_X / 64
// warpgroups of multipliers (consumers) and one warpgroup of splitters (producers). The splitters copy X and
// Y unchanged, asynchronously and STAGES steps ahead, and make the planes of Y. Sums start from zero again in
// each step, and fp32 units add them up.
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(SWAP) || !defined(SLICES) || !defined(STAGES) || \
    !defined(BAND)
#error "common/tf32x3.cl needs TILE_X, TILE_Y, SWAP, SLICES, STAGES and BAND"
#endif

#define ROWS (SWAP ? TILE_Y : TILE_X)
#define COLUMNS (SWAP ? TILE_X : TILE_Y)
#define SLICE_MULTIPLIERS (TILE_X * 2)
#define MULTIPLIERS (SLICE_MULTIPLIERS * SLICES)  // their local ids come before those of the splitters
#define TM (TILE_Y == 32 ? 4 : 8)                 // results per multiplier in plain fp32
#define TN (TILE_Y == 128 ? 8 : 4)
#define C_STRIDE (SWAP ? TILE_X + 4 : TILE_Y + 8)
#define SLICES_BARRIER asm volatile("bar.sync 8, %0;" ::"n"(MULTIPLIERS) : "memory")
#define PARTS_BARRIER SLICES_BARRIER
#include "common/tf32.cl"
#include "common/tf32x3_steps.cl"
#include "common/turn.cl"

// A stage: the planes of Y, then X, then Y.
#define X_PLACE (2 * PLANE_BYTES)
#define Y_PLACE (X_PLACE + X_BYTES)
#define STAGE_BYTES ((Y_PLACE + Y_BYTES + 1023) / 1024 * 1024)  // wgmma wants planes at multiples of 1024
#define SLICE_BYTES (STAGES * STAGE_BYTES)
#define MEMORY_BYTES (SLICES * SLICE_BYTES)

// With tiles of 128 x 128, the multipliers need more registers than each of 384 work-items can have, and the
// splitters need fewer.
#if TILE_X == 128 && TILE_Y == 128
#define GIVE_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 104;")
#define TAKE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 200;")
#else
#define GIVE_REGISTERS
#define TAKE_REGISTERS
#endif

// Each slice has a ring of its own. `full` completes when Y's planes are made and X has arrived, `empty` when
// all multipliers have finished with the stage. A waiter has seen each phase before, because a stage always
// belongs to the same slice.
INLINED void make_rings(const uint barriers) {
  for (int stage = 0; stage < STAGES * SLICES; ++stage) {
    mbarrier_init(full_barrier(barriers, stage), COPIERS);
    mbarrier_init(empty_barrier(barriers, stage), SLICE_MULTIPLIERS / 32);
  }
  mbarrier_init_fence();
}

// Does the work of a slice's splitters. Returns the least of Y.
INLINED uint supply_steps(__local char* memory, const uint barriers, const Source x, const Source y,
                          const int slice) {
  uint least = UINT_MAX;
  Turn filled = {0, 1};
  Turn split = {0, 0};
  const bool y_shifted = is_shifted(y);
  const int y_shift = shift_of(y, Y_ALONG_K ? get_local_id(0) % COPIERS / 8 : get_local_id(0) % STEP);
  const int item = get_local_id(0) % COPIERS;
  int ahead = slice * STEP;
  for (int depth = ahead - (STAGES - 1) * SLICES * STEP; depth < x.depth; depth += SLICES * STEP) {
    if (depth >= 0) {
      COPIES_WAIT(STAGES - 2);
      asm volatile("bar.sync %0, %1;" ::"r"(1 + slice), "n"(COPIERS) : "memory");  // all copies have arrived
      __local char* stage = memory + split.stage * STAGE_BYTES;
      split_planes(item, (__local uint*)stage, &least, (const __local float*)(stage + Y_PLACE), y_shifted,
                   y_shift);
      fence_for_async();
      mbarrier_arrive(full_barrier(barriers, split.stage));
      next_turn(&split);
    }
    if (ahead < x.depth) {
      const uint stage = shared_address(memory) + filled.stage * STAGE_BYTES;
      mbarrier_wait(empty_barrier(barriers, filled.stage), filled.parity);
      copy_x(item, stage + X_PLACE, x, ahead);
      copy_lines(item, stage + Y_PLACE, y, Y_ALONG_K, TILE_Y, Y_STRIDE, ahead);
      next_turn(&filled);
    }
    copies_commit();
    ahead += SLICES * STEP;
  }
  return least;
}

// Does the work of a slice's multipliers. Returns the least of X.
INLINED uint multiply_steps(float* sums, __local char* memory, const uint barriers, const Source x_source,
                            const int slice) {
  const bool shifted = is_shifted(x_source);
  const int shift = shift_of(x_source, X_ALONG_K ? get_local_id(0) % 32 / 4 : get_local_id(0) % 4);
  const int place = place_in_x(shifted, shift);
  uint least = UINT_MAX;
  Turn turn = {0, 0};
  float fresh[SUMS];
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sums[i] = fresh[i] = 0.0f;
  for (int depth = slice * STEP; depth < x_source.depth; depth += SLICES * STEP) {
    __local char* stage = memory + turn.stage * STAGE_BYTES;
    const uint planes = shared_address(stage);
    Fragments x;
    mbarrier_wait(full_barrier(barriers, turn.stage), turn.parity);
    start_small_products(fresh, &x, &least, (const __local float*)(stage + X_PLACE) + place, shifted, planes,
                         0);
    start_large_products(fresh, &x, planes);
    wgmma_commit();
    wgmma_wait(fresh);
    keep_parts(x.high);
    keep_parts(x.low);
    if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, turn.stage));
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] += fresh[i];
    next_turn(&turn);
  }
  return least;
}

// Adds up the sums of the slices and stores them, or computes the tile again. The multipliers call it.
INLINED void finish_tile(const Multiply* call, __local char* memory, const __local Noticed* noticed,
                         const int first_row, const int first_column, const float* sums, const int slice) {
  if (is_exact(noticed)) {
    const int item = get_local_id(0) % SLICE_MULTIPLIERS;
#pragma unroll
    for (int other = 0; other < SLICES; ++other) {
      if (other == slice) add_to_tile(item, (__local float*)memory, sums, other == 0);
      SLICES_BARRIER;
    }
  } else {
    multiply_again(call, (__local float4*)memory, first_row, first_column);
  }
  const Tile tile = {(const __local float*)memory, ROWS, COLUMNS, C_STRIDE, 1, 0};
  store_tile_of_c(target_of(call, first_row, first_column), tile, get_local_id(0), MULTIPLIERS);
}

// Computes the work-group's tile. `memory` has MEMORY_BYTES, `barriers` has 2 * STAGES * SLICES words.
INLINED void multiply_tile(const Multiply* call, __local char* memory, __local ulong* barriers,
                           __local Noticed* noticed, const int first_row, const int first_column) {
  const int item = get_local_id(0);
  const uint rings = shared_address(barriers);
  const Source rows = {call->a + (TRANSPOSE_A ? first_row : first_row * call->lda), call->lda,
                       call->m - first_row, call->k};
  const Source columns = {call->b + (TRANSPOSE_B ? first_column * call->ldb : first_column), call->ldb,
                          call->n - first_column, call->k};
  if (item == 0) {
    make_rings(rings);
    *noticed = (Noticed){UINT_MAX, UINT_MAX, 0};
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item >= MULTIPLIERS) {
    GIVE_REGISTERS;
    const int slice = SLICES == 1 ? 0 : (item - MULTIPLIERS) / COPIERS;
    const uint least = supply_steps(memory + slice * SLICE_BYTES, rings + slice * STAGES * 16,
                                    SWAP ? columns : rows, SWAP ? rows : columns, slice);
    if (least < noticed->least_y) atomic_min(&noticed->least_y, least);
    barrier(CLK_LOCAL_MEM_FENCE);  // all work-items have left what they noticed
    return;
  }
  TAKE_REGISTERS;
  prefetch_tile_of_c(target_of(call, first_row, first_column), ROWS, COLUMNS, MULTIPLIERS);
  const int slice = SLICES == 1 ? 0 : item / SLICE_MULTIPLIERS;
  float sums[SUMS];
  const uint least = multiply_steps(sums, memory + slice * SLICE_BYTES, rings + slice * STAGES * 16,
                                    SWAP ? columns : rows, slice);
  if (least < noticed->least_x) atomic_min(&noticed->least_x, least);
  if (!are_numbers(sums)) noticed->is_strange = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  finish_tile(call, memory, noticed, first_row, first_column, sums, slice);
}
