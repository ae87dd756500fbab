// clgemm: fp16x3_wgmma
// summary: fp32 on the tensor cores of NVIDIA Hopper: three products of fp16 planes, added in fp32
// operands: fp16_planes
// fallback: fallback_tf32x3 TILE_X=64*(1+(TILE_M+TILE_N>128)) TILE_Y=64*(1+(TILE_M+TILE_N>192)) SLICES=1+(TILE_M+TILE_N==128)
// precision: fp32_equivalent
// least_k: 32
// ptx: sm_90a
// param: TILE_M = 128 in 64 128
// param: TILE_N = 128 in 64 128
// param: SLICES = 1 in 1 2
// param: STEP = 2 in 1 2
// param: STAGES = 4 in 2 3 4 5 6 7 8
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16*STEP
// local: TILE_M/64*SLICES*128+128
// grid: tiles
// persistent: SLICES == 1
// require: nvidia_sm == 90
// require: TILE_M/64*SLICES <= 2
// require: STAGES % SLICES == 0
// require: STAGES >= 2*SLICES         a slice waits for its next step before it frees a stage
// require: (TILE_M+TILE_N)/64*4096*STEP*STAGES+(SLICES==1)*TILE_M*(TILE_N+8)*4 <= 227328
// require: (SLICES-1)*TILE_M*TILE_N*4 <= (TILE_M+TILE_N)/64*4096*STEP*STAGES
// calibrate: TILE_M TILE_N SLICES STEP STAGES: 128 128 1 2 4, 64 128 2 2 8, 128 64 1 2 7, 64 64 2 2 8

// Computes fp32 from fp16. With a = h + 2^-11 l (common/fp16_planes.cl) and b likewise, a b is h h' + 2^-11
// (h l' + l h'), except for 2^-22 l l' (docs/accuracy.md has the bound). The tensor core truncates when it
// adds. So the sums of h h' start from zero again every 64 of k, and fp32 units add them up. Truncation of
// the other two products counts only 2^-11 as much. Their sums continue to the end and are scaled once.
//
// A work-group has warpgroups of consumers, which multiply, and one warpgroup of helpers, which gives its
// registers to the others. Each consumer warpgroup multiplies 64 rows of the tile, and with SLICES == 2 only
// every second step along k. One helper is the producer. Its copies keep a ring of STAGES steps in local
// memory full (common/ring.cl). The products of a step are in flight while a warpgroup waits for the next
// step and loads A's fragments of it.
//
// With one slice, a work-group computes several tiles in turns ("persistent kernel" of CUTLASS). While the
// consumers store a tile, the producer fills the ring for the next one, and another warp of helpers loads the
// exponents of the next tile's lines. 8192 x 8192 x 256 takes an H200 254 us, and took 317 us when each tile
// had a work-group (November 2026).
//
// The fallback has tiles of the same size, so that it keeps as many compute units busy. If the numbers of
// 1024 x 1024 x 1024 need the fallback, an H200 takes 44 us with its tiles of 128 x 64, and 60 us with 128 x
// 128 (November 2026).
#if !defined(TILE_M) || !defined(TILE_N) || !defined(SLICES) || !defined(STEP) || !defined(STAGES) || \
    !defined(BAND)
#error "fp16x3_wgmma needs TILE_M, TILE_N, SLICES, STEP, STAGES and BAND"
#endif
#include "common/arguments.cl"
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/ring.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"
#define WGMMA_COLUMNS TILE_N
#define WGMMA_DEPTH "k16"
#define WGMMA_END ", 0"  // B lies along k
#include "common/wgmma.cl"

#define MULTIPLIERS (M_BLOCKS * SLICES * 128)
#define SUMS (TILE_N / 2)        // per work-item
#define STEPS_TOGETHER (4 / STEP)  // the tensor core adds up the high planes' products of these steps
#define INLINED static inline __attribute__((always_inline))  // so that registers have names

// At first each of the 384 work-items has 168 registers. Then the 256 multipliers get most of them.
#if M_BLOCKS * SLICES == 2
#define GIVE_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 24;")
#define TAKE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 240;")
#else
#define GIVE_REGISTERS
#define TAKE_REGISTERS
#endif

// The helpers come after the multipliers. They are a whole warpgroup, because only warpgroups can give
// registers away. Two of their warps work.
#define HELPERS 128
#define WORKING_HELPERS 64

// Joins the multipliers and the helpers. It tells all whether to continue.
#define VERDICT_BARRIER asm volatile("bar.sync 2, %0;" ::"n"(MULTIPLIERS + WORKING_HELPERS) : "memory")

// Joins the multipliers and the warp of the exponents after the last step of a tile.
#define TURN_BARRIER asm volatile("bar.sync 3, %0;" ::"n"(MULTIPLIERS + 32) : "memory")

// Joins the multipliers only.
#define MULTIPLIERS_BARRIER asm volatile("bar.sync 1, %0;" ::"n"(MULTIPLIERS) : "memory")

// Local memory has the ring, the sums of all slices except the first, and each warp's rows of the tile. With
// several slices there is no next tile, so all but the ring begins where the ring was.
#define RING_BYTES (STAGES * STAGE_BYTES)
#define PARTS_PLACE (SLICES == 1 ? RING_BYTES : 0)
#define PARTS_BYTES ((SLICES - 1) * TILE_M * TILE_N * 4)
#define WARPS_PLACE (PARTS_PLACE + PARTS_BYTES)
#define END_BYTES (WARPS_PLACE + TILE_M / WARP_ROWS * WARP_TILE(TILE_N) * 4)
#define MEMORY_BYTES (RING_BYTES > END_BYTES ? RING_BYTES : END_BYTES)

#define LINES (TILE_M + TILE_N)  // a tile has so many, each with an exponent

// What a work-item holds of A for a step: its elements of a warp's 16 rows.
typedef struct {
  uint high[STEP][4];
  uint low[STEP][4];
} Fragments;

// The results of a work-item. `high` sums the products of high planes over at most 64 of k, and `sums` has
// all those before. `cross` sums the products with a low plane.
typedef struct {
  float sums[SUMS];
  float high[SUMS];
  float cross[SUMS];
} Results;

// The position of a warpgroup along k.
typedef struct {
  int left;      // depths left
  int stage;     // the next step's, which may belong to the next tile
  uint parity;
  int before;    // the stage of the step before, which is still to be freed; -1 if there is none
  int together;  // steps summed in Results::high
} Walk;

INLINED void load_fragments(Fragments* fragments, const uint a) {
  // This work-item names this line of A's matrices: by 16 rows of a warp, by 8 rows, then by 8 of k.
  const int item = get_local_id(0) % 128;
  const uint line = a + item / 8 % 2 * GROUP_BYTES + item / 32 * 2 * GROUP_BYTES +
                    item % 32 / 16 * CORE_BYTES + item % 8 * 16;
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    load_matrices(fragments->high[step], line + step * BLOCK_BYTES);
    load_matrices(fragments->low[step], line + step * BLOCK_BYTES + PLANE_BYTES);
  }
}

// Starts the three products of a step. The products of the high planes are a group of their own, which comes
// first.
INLINED void start_products(Results* results, const Fragments* fragments, const uint b, const int keep) {
  wgmma_fence_sums(results->cross);
  wgmma_fence_sums(results->high);
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    const uint b_high = b + step * N_BLOCKS * BLOCK_BYTES;
    wgmma(results->high, fragments->high[step], PLANE_DESCRIPTOR(b_high), step > 0 ? 1 : keep);
  }
  wgmma_commit();
#pragma unroll
  for (int step = 0; step < STEP; ++step) {
    const uint b_high = b + step * N_BLOCKS * BLOCK_BYTES;
    wgmma(results->cross, fragments->low[step], PLANE_DESCRIPTOR(b_high), 1);
    wgmma(results->cross, fragments->high[step], PLANE_DESCRIPTOR(b_high + PLANE_BYTES), 1);
  }
  wgmma_commit();
}

INLINED void add_high(Results* results) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) results->sums[i] += results->high[i];
}

// Multiplies the step whose fragments are `current`, and loads the fragments of the next step. Returns false
// if there is no next step.
INLINED bool multiply_step(Results* results, const Fragments* current, Fragments* next, Walk* walk,
                           const int block, const uint memory, const uint barriers) {
  start_products(results, current, memory + walk->stage * STAGE_BYTES + A_BYTES, walk->together);
  wgmma_wait_but_last(results->high);  // all products of the step before are done, too
  if (++walk->together == STEPS_TOGETHER) {
    add_high(results);
    walk->together = 0;
  }
  if (walk->before >= 0 && get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, walk->before));
  walk->before = walk->stage;
  walk->left -= SLICES * BLOCK_DEPTH * STEP;
  walk->stage += SLICES;
  if (walk->stage >= STAGES) {
    walk->stage -= STAGES;
    walk->parity ^= 1;
  }
  if (walk->left <= 0) return false;
  mbarrier_wait(full_barrier(barriers, walk->stage), walk->parity);
  load_fragments(next, memory + walk->stage * STAGE_BYTES + block * STEP * BLOCK_BYTES);
  return true;
}

// Multiplies the steps of one slice of a tile. `walk` is at the first of them.
INLINED void multiply_steps(Results* results, Walk* walk, const int block, const uint memory,
                            const uint barriers) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) results->sums[i] = results->high[i] = results->cross[i] = 0.0f;
  if (walk->left <= 0) return;
  walk->before = -1;
  walk->together = 0;
  Fragments even;
  Fragments odd;
  mbarrier_wait(full_barrier(barriers, walk->stage), walk->parity);
  load_fragments(&even, memory + walk->stage * STAGE_BYTES + block * STEP * BLOCK_BYTES);
  while (multiply_step(results, &even, &odd, walk, block, memory, barriers) &&
         multiply_step(results, &odd, &even, walk, block, memory, barriers)) {
  }
  wgmma_wait(results->cross);
  if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, walk->before));
  if (walk->together > 0) add_high(results);
#pragma unroll
  for (int i = 0; i < SUMS; ++i)
    results->sums[i] = MULTIPLY_ADD(results->cross[i], LOW_SCALE, results->sums[i]);
}

// Adds up the slices in local memory, in the order of the slices. Returns true only in the first slice, which
// then has the result.
INLINED bool add_slices(float* sums, __local float* memory, const int slice) {
#if SLICES > 1
  __local float* parts = memory + get_local_id(0) % (M_BLOCKS * 128);
  if (slice > 0) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) parts[((slice - 1) * SUMS + i) * M_BLOCKS * 128] = sums[i];
  }
  MULTIPLIERS_BARRIER;
  if (slice > 0) return false;
  for (int other = 0; other < SLICES - 1; ++other) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] += parts[(other * SUMS + i) * M_BLOCKS * 128];
  }
#endif
  return true;
}

// Multiplies a warp's 16 rows by the powers of two of their lines. `row_exponents` begins at this work-item's
// first row. All exponents are times EXPONENT_UNIT.
INLINED void scale_back(float* sums, const __local int* row_exponents, const __local int* column_exponents) {
  const int upper = row_exponents[0];
  const int lower = row_exponents[8];
#pragma unroll
  for (int i = 0; i < SUMS; i += 4) {
    const int2 both = *(const __local int2*)(column_exponents + i * 2);
    const float2 above = scaled_back((float2)(sums[i], sums[i + 1]), upper + both);
    const float2 below = scaled_back((float2)(sums[i + 2], sums[i + 3]), lower + both);
    sums[i] = above.x;
    sums[i + 1] = above.y;
    sums[i + 2] = below.x;
    sums[i + 3] = below.y;
  }
}

// Returns the number of the tile that the work-group computes in a turn.
INLINED int tile_in_turn(const int turn) {
  return get_group_id(0) + turn * get_num_groups(0);
}

INLINED bool has_turn(const int turn, const int m, const int n) {
  const int tiles = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
  return turn == 0 || (SLICES == 1 && tile_in_turn(turn) < tiles);
}

INLINED int2 position_in_turn(const int turn, const int m, const int n) {
  return position_of_tile(tile_in_turn(turn), (m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, BAND);
}

// Does the producer's work. The other work-items of its warp only join the barrier.
INLINED void copy_tiles(const __global char* a, const __global char* b, const int m, const int n, const int k,
                        const uint stages, const uint barriers, const __local Extremes* extremes) {
  const bool is_producer = get_local_id(0) % 32 == 0;
  Copier copier = make_copier(strip_bytes(k));
  aim_copier(&copier, a, b, position_in_turn(0, m, n), k);
  if (is_producer) copy_first_steps(&copier, stages, barriers);
  VERDICT_BARRIER;
  if (!is_producer) return;
  if (!planes_are_exact(extremes, k)) {
    wait_for_first_steps(k, barriers);
    return;
  }
  for (int turn = 0;;) {
    while (copier.left > 0) copy_step(&copier, stages, barriers);
    if (!has_turn(++turn, m, n)) return;
    aim_copier(&copier, a, b, position_in_turn(turn, m, n), k);
  }
}

// Loads the exponents of the lines of each tile, in units of EXPONENT_UNIT, alternately into the two rows of
// `exponents`. One warp does it, and also brings the tile of C nearer. When the multipliers have finished a
// tile, they have finished with the exponents of the tile before.
INLINED void prepare_tiles(__local int exponents[2][LINES], const __global char* a, const __global char* b,
                           const Target whole, const int k, const __local Extremes* extremes) {
  const int lane = get_local_id(0) % 32;
  const ulong strip = strip_bytes(k);
  for (int turn = 0; has_turn(turn, whole.rows, whole.columns); ++turn) {
    const int2 tile = position_in_turn(turn, whole.rows, whole.columns);
    const __global char* a_strips = a + tile.x * M_BLOCKS * strip;
    const __global char* b_strips = b + tile.y * N_BLOCKS * strip;
#pragma unroll
    for (int line = lane; line < LINES; line += 32) {
      exponents[turn % 2][line] =
          EXPONENT_UNIT * (line < TILE_M ? exponent_of_line(a_strips, strip, line)
                                         : exponent_of_line(b_strips, strip, line - TILE_M));
    }
    if (turn == 0) {
      VERDICT_BARRIER;
      if (!planes_are_exact(extremes, k)) return;
    }
    prefetch_tile_of_c_by(target_from(whole, tile.x * TILE_M, tile.y * TILE_N), TILE_M, TILE_N, lane, 32);
    TURN_BARRIER;
  }
}

__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + HELPERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, NOTES_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local char memory[MEMORY_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES];
  __local int exponents[2][LINES] __attribute__((aligned(16)));
  __local Extremes extremes;
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  const int item = get_local_id(0);
  const uint stages = shared_address(memory);
  const uint stage_barriers = shared_address(barriers);
  const int block = item / 128 % M_BLOCKS;
  // If all work-items use the same addresses, these take fewer registers.
  const int slice = SLICES == 1 ? 0 : item / 128 / M_BLOCKS;

  if (item == 0) {
    make_ring(stage_barriers, M_BLOCKS * 4);
    extremes = (Extremes){0, 0, 0, 0};
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (item >= MULTIPLIERS) {
    GIVE_REGISTERS;
    const size_t batch = get_global_id(2);
    const __global char* a_strips = (const __global char*)(a + a_offset + batch * a_stride);
    const __global char* b_strips = (const __global char*)(b + b_offset + batch * b_stride);
    if (item < MULTIPLIERS + 32) {
      copy_tiles(a_strips, b_strips, m, n, k, stages, stage_barriers, &extremes);
    } else if (item < MULTIPLIERS + WORKING_HELPERS) {
      const Target whole = {c + c_offset + batch * c_stride, ldc, m, n, alpha, beta};
      prepare_tiles(exponents, a_strips, b_strips, whole, k, &extremes);
    }
    return;
  }
  TAKE_REGISTERS;
  // This runs while the first copies are in flight.
  gather_all_notes(&extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, item, MULTIPLIERS);
  VERDICT_BARRIER;
  if (!leave_is_done(planes_are_exact(&extremes, k), notes, notes_offset, a_notes, a_stride, b_notes,
                     b_stride))
    return;
  Walk walk = {0, slice, 0, -1, 0};
  int turn = 0;
  do {
    Results results;
    walk.left = k - slice * BLOCK_DEPTH * STEP;
    multiply_steps(&results, &walk, block, stages, stage_barriers);
    // All multipliers have finished the tile, and its exponents are there. With several slices, all copies
    // have arrived and have been read, so the ring's memory is free.
    TURN_BARRIER;
    if (!add_slices(results.sums, (__local float*)(memory + PARTS_PLACE), slice)) return;
    const int zero = unknown_zero();
    const int warp = (item + zero) / 32;  // a warp of the first slice
    const int lane = (item + zero) % 32;
    const __local int* scale = exponents[turn % 2];
    scale_back(results.sums, scale + warp * WARP_ROWS + lane / 4, scale + TILE_M + lane % 4 * 2);
    __local float* own = (__local float*)(memory + WARPS_PLACE) + warp * WARP_TILE(TILE_N);
    put_warp_rows(own, results.sums, TILE_N);
    WARP_BARRIER;
    const Target whole = {c + c_offset + (get_global_id(2) + zero) * c_stride, ldc, m, n, alpha, beta};
    const int2 tile = position_in_turn(turn + zero, m + zero, n + zero);
    store_warp_rows(target_from(whole, tile.x * TILE_M + warp * WARP_ROWS, tile.y * TILE_N), own, TILE_N);
    WARP_BARRIER;
  } while (has_turn(++turn, m, n));
}
