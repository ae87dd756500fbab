// Computes tiles of C as three products of TF32 parts on Hopper's tensor cores, with A and B in the caller's
// memory. It is for tf32x3_wgmma.cl and helpers/fallback_tf32x3.cl.
//
// The parts of numbers and their limits are in common/tf32.cl. The tensor core truncates when it adds. So its
// sums start from zero again every 32 of k, and fp32 units add them up.
//
// A tile is TILE_X lines of one operand, X, times TILE_Y lines of the other operand, Y. X has rows of C, or
// columns if SWAP. wgmma takes X from registers and Y from local memory, as two planes. SLICES share k; each
// slice has its own work-items for every SLICES-th step. These are TILE_X / 64 warpgroups of multipliers
// (consumers) and one warpgroup of splitters (producers). The splitters copy X and Y unchanged,
// asynchronously and STAGES steps ahead, and make the planes of Y. The multipliers split X themselves,
// because X passes through their registers anyway.
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(SWAP) || !defined(SLICES) || !defined(STAGES) || \
    !defined(BAND)
#error "common/tf32x3.cl needs TILE_X, TILE_Y, SWAP, SLICES, STAGES and BAND"
#endif
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "common/tf32x3.cl needs TRANSPOSE_A and TRANSPOSE_B"
#endif

#define ROWS (SWAP ? TILE_Y : TILE_X)
#define COLUMNS (SWAP ? TILE_X : TILE_Y)
#define SLICE_MULTIPLIERS (TILE_X * 2)
#define MULTIPLIERS (SLICE_MULTIPLIERS * SLICES)  // their local ids come before those of the splitters
#define COPIERS 128                               // the splitters of a slice
#define SUMS (TILE_Y / 2)                         // per work-item
#define STEP 32                                   // depths
#define INLINED static inline __attribute__((always_inline))
#define TM (TILE_Y == 32 ? 4 : 8)                 // results per multiplier in plain fp32
#define TN (TILE_Y == 128 ? 8 : 4)
#define C_STRIDE (SWAP ? TILE_X + 4 : TILE_Y + 8)
#define SLICES_BARRIER asm volatile("bar.sync 8, %0;" ::"n"(MULTIPLIERS) : "memory")
#define PARTS_BARRIER SLICES_BARRIER

#define PLANE_TYPE "tf32"
#define WGMMA_COLUMNS TILE_Y
#define WGMMA_DEPTH "k8"
#define WGMMA_END ""
#include "common/copy_lines.cl"
#include "common/tf32.cl"
#include "common/turn.cl"
#include "common/wgmma.cl"

// The layout of the operands, in memory and in a stage: the planes of Y, then X, then Y. The strides leave
// room for shifts and spread rows over the banks.
#define X_ALONG_K (SWAP ? TRANSPOSE_B : !TRANSPOSE_A)
#define Y_ALONG_K (SWAP ? !TRANSPOSE_A : TRANSPOSE_B)
#define X_STRIDE (X_ALONG_K ? STEP + 4 : TILE_X + 8)
#define Y_STRIDE (Y_ALONG_K ? STEP + 4 : TILE_Y + 4)
#define X_BYTES (4 * X_STRIDE * (X_ALONG_K ? TILE_X : STEP))
#define Y_BYTES (4 * Y_STRIDE * (Y_ALONG_K ? TILE_Y : STEP))
#define PLANE_BYTES (4 * STEP * TILE_Y)
#define X_PLACE (2 * PLANE_BYTES)
#define Y_PLACE (X_PLACE + X_BYTES)
#define STAGE_BYTES ((Y_PLACE + Y_BYTES + 1023) / 1024 * 1024)  // wgmma wants planes at multiples of 1024
#define SLICE_BYTES (STAGES * STAGE_BYTES)
#define MEMORY_BYTES (SLICES * SLICE_BYTES)
#define LINE_DESCRIPTOR(address) matrix_descriptor(address, 16, 8 * 4 * STEP, SWIZZLED_128)

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

// Returns the place in a plane, in floats. A line is a row of 16-byte pieces along k, in an order that puts
// the pieces of 8 lines at one depth into different banks.
INLINED uint swizzled(const uint line, const uint depth) {
  return line * STEP + ((depth / 4 ^ line % 8) * 4 + depth % 4);
}

// What a work-item holds of X for a step: its elements of a warp's 16 lines.
typedef struct {
  uint high[4][4];
  uint low[4][4];
} Fragments;

// Returns the place from which a work-item reads X in a stage. If X does not lie along k, the work-item has
// two neighbouring lines instead of lines 8 apart. Any line of X may be any row of a fragment, as long as the
// results are stored accordingly.
INLINED int place_in_x(const bool shifted, const int shift) {
  const int lane = get_local_id(0) % 32;
  const int first = get_local_id(0) % SLICE_MULTIPLIERS / 32 * 16;
  if (!X_ALONG_K) return lane % 4 * X_STRIDE + first + lane / 4 * 2 + shift;
  return shifted ? (first + lane / 4) * X_STRIDE + lane % 4 + shift
                 : (first + lane % 16) * X_STRIDE + lane / 16 * 4;
}

// Loads fragment `i`, which is 8 of k. `x` is the stage's X from place_in_x() on.
INLINED void load_fragment(Fragments* fragments, uint* least, const __local float* x, const bool shifted,
                           const int i) {
  uint bits[4];
#if X_ALONG_K
  x += 8 * i;
  if (!shifted) {
    load_matrices(bits, shared_address(x));
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j) bits[j] = as_uint(x[j % 2 * 8 * X_STRIDE + j / 2 * 4]);
  }
#else
  x += 8 * i * X_STRIDE;
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    const __local float* pair = x + j * 2 * X_STRIDE;
    const uint2 both = shifted ? as_uint2((float2)(pair[0], pair[1])) : *(const __local uint2*)pair;
    bits[j] = both.x;
    bits[j + 1] = both.y;
  }
#endif
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    *least = least_with(*least, bits[j]);
    fragments->high[i][j] = high_part(bits[j]);
    fragments->low[i][j] = low_part(bits[j], fragments->high[i][j]);
  }
}

// Makes two planes of Y, along k. A work-item reads four depths of a line if Y lies along k, otherwise four
// lines at one depth.
INLINED void split_planes(__local uint* planes, uint* least, const __local float* y, const bool shifted,
                          const int shift) {
  const int item = get_local_id(0) % COPIERS;
#pragma unroll
  for (int i = 0; i < TILE_Y * STEP / 4 / COPIERS; ++i) {
    const int line = Y_ALONG_K ? item / 8 + i * (COPIERS / 8) : (item / STEP + i * (COPIERS / STEP)) * 4;
    const int depth = Y_ALONG_K ? item % 8 * 4 : item % STEP;
    const __local float* place =
        y + (Y_ALONG_K ? line : depth) * Y_STRIDE + (Y_ALONG_K ? depth : line) + shift;
    const uint4 bits =
        as_uint4(shifted ? (float4)(place[0], place[1], place[2], place[3]) : *(const __local float4*)place);
    const uint4 high = (bits + 0x1000u) & 0xffffe000u;
    const uint4 low = as_uint4(as_float4(bits) - as_float4(high));
    *least = least_with(least_with(least_with(least_with(*least, bits.x), bits.y), bits.z), bits.w);
    __local uint* low_plane = planes + PLANE_BYTES / 4;
    if (Y_ALONG_K) {
      *(__local uint4*)(planes + swizzled(line, depth)) = high;
      *(__local uint4*)(low_plane + swizzled(line, depth)) = low;
    } else {
      planes[swizzled(line, depth)] = high.x;
      planes[swizzled(line + 1, depth)] = high.y;
      planes[swizzled(line + 2, depth)] = high.z;
      planes[swizzled(line + 3, depth)] = high.w;
      low_plane[swizzled(line, depth)] = low.x;
      low_plane[swizzled(line + 1, depth)] = low.y;
      low_plane[swizzled(line + 2, depth)] = low.z;
      low_plane[swizzled(line + 3, depth)] = low.w;
    }
  }
}

// Does the work of a slice's splitters. Returns the least of Y.
INLINED uint supply_steps(__local char* memory, const uint barriers, const Source x, const Source y,
                          const int slice) {
  uint least = UINT_MAX;
  Turn filled = {0, 1};
  Turn split = {0, 0};
  const bool y_shifted = is_shifted(y);
  const int y_shift = shift_of(y, Y_ALONG_K ? get_local_id(0) % COPIERS / 8 : get_local_id(0) % STEP);
  int ahead = slice * STEP;
  for (int depth = ahead - (STAGES - 1) * SLICES * STEP; depth < x.depth; depth += SLICES * STEP) {
    if (depth >= 0) {
      COPIES_WAIT(STAGES - 2);
      asm volatile("bar.sync %0, %1;" ::"r"(1 + slice), "n"(COPIERS) : "memory");  // all copies have arrived
      __local char* stage = memory + split.stage * STAGE_BYTES;
      split_planes((__local uint*)stage, &least, (const __local float*)(stage + Y_PLACE), y_shifted, y_shift);
      fence_for_async();
      mbarrier_arrive(full_barrier(barriers, split.stage));
      next_turn(&split);
    }
    if (ahead < x.depth) {
      const uint stage = shared_address(memory) + filled.stage * STAGE_BYTES;
      mbarrier_wait(empty_barrier(barriers, filled.stage), filled.parity);
      copy_lines(stage + X_PLACE, x, X_ALONG_K, TILE_X, X_STRIDE, ahead);
      copy_lines(stage + Y_PLACE, y, Y_ALONG_K, TILE_Y, Y_STRIDE, ahead);
      next_turn(&filled);
    }
    copies_commit();
    ahead += SLICES * STEP;
  }
  return least;
}

// Starts the three products of a step, the small ones first, into fresh sums. Each fragment is read while the
// ones before it are being multiplied.
INLINED void start_products(float* fresh, Fragments* x, uint* least, const __local float* x_place,
                            const bool shifted, const uint planes) {
  load_fragment(x, least, x_place, shifted, 0);
  wgmma_fence_sums(fresh);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    wgmma(fresh, x->low[i], LINE_DESCRIPTOR(planes + 32 * i), i > 0 ? 1 : 0);
    wgmma(fresh, x->high[i], LINE_DESCRIPTOR(planes + PLANE_BYTES + 32 * i), 1);
    if (i == 3) break;
    load_fragment(x, least, x_place, shifted, i + 1);
    wgmma_fence();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) wgmma(fresh, x->high[i], LINE_DESCRIPTOR(planes + 32 * i), 1);
  wgmma_commit();
}

// Keeps the fragments in registers until the products that read them are done.
INLINED void keep_fragments(const Fragments* x) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    asm volatile("" ::"r"(x->high[i][0]), "r"(x->high[i][1]), "r"(x->high[i][2]), "r"(x->high[i][3]),
                 "r"(x->low[i][0]), "r"(x->low[i][1]), "r"(x->low[i][2]), "r"(x->low[i][3]));
  }
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
    Fragments x;
    mbarrier_wait(full_barrier(barriers, turn.stage), turn.parity);
    start_products(fresh, &x, &least, (const __local float*)(stage + X_PLACE) + place, shifted,
                   shared_address(stage));
    wgmma_wait(fresh);
    keep_fragments(&x);
    if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, turn.stage));
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] += fresh[i];
    next_turn(&turn);
  }
  return least;
}

INLINED bool are_numbers(const float* sums) {
  float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < SUMS; ++i) zeros[i % 4] = still_zero(zeros[i % 4], sums[i]);
  return zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0.0f;
}

// Adds a slice's sums to the tile in local memory; the first slice overwrites what was there.
INLINED void add_to_tile(__local float* tile, const float* sums, const bool is_first) {
  const int item = get_local_id(0) % SLICE_MULTIPLIERS;
  const int lane = item % 32;
  const int x = item / 32 * 16 + (X_ALONG_K ? lane / 4 : lane / 4 * 2);
  const int x_step = SWAP ? 1 : C_STRIDE;
  const int y_step = SWAP ? C_STRIDE : 1;
  const int below = (X_ALONG_K ? 8 : 1) * x_step;
  put_sums(tile + x * x_step + lane % 4 * 2 * y_step, sums, SUMS, y_step, below, !is_first);
}

// Adds up the sums of the slices and stores them, or computes the tile again. The multipliers call it.
INLINED void finish_tile(const Multiply* call, __local char* memory, const __local Noticed* noticed,
                         const int first_row, const int first_column, const float* sums, const int slice) {
  if (is_exact(noticed)) {
#pragma unroll
    for (int other = 0; other < SLICES; ++other) {
      if (other == slice) add_to_tile((__local float*)memory, sums, other == 0);
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
