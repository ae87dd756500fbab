// clgemm: fp16x3_one_packed
// summary: like fp16x3_wgmma, but only one operand is packed; for NVIDIA Hopper
// operands: fp16_planes
// unpacked: 1+SWAP
// fallback: fallback_fp32 TM=4 TN=4 COPIES=1
// precision: fp32_equivalent
// align: 4
// least_k: 32
// ptx: sm_90a
// param: TILE_X = 128 in 64 128
// param: TILE_Y = 128 in 64 128
// param: SWAP = 0 in 0 1              X, the operand that is not packed, has columns of C
// param: STAGES = 6 in 3 4 5 6 7
// param: BAND = 8 in 1 8
// adds_parts: 1
// tile: TILE_X*(1-SWAP)+TILE_Y*SWAP TILE_Y*(1-SWAP)+TILE_X*SWAP 32
// local: TILE_X*2+128
// grid: tiles
// require: nvidia_sm == 90
// require: STAGES*(TILE_X*160+TILE_Y*128) <= 227328
// calibrate: TILE_X TILE_Y STAGES: 128 128 6, 128 64 7; SWAP: 0, 1

// For shapes whose packing (fp16x3_wgmma.cl) would take as long as their multiplication, because one operand
// is much larger than the other. Only Y, which should be the smaller operand, is packed: B, or A with SWAP. X
// is read in the caller's memory by asynchronous copies, and a multiplier splits its elements of X in
// registers, on their way to wgmma. The products are those of fp16x3_wgmma.cl.
//
// Nobody has seen the lines of X before. So the exponent of a line is guessed from its first 32 numbers, with
// some room for larger ones. If numbers are too small for fp16 (common/fp16_range.cl), the results of that
// line must be large enough to do without these numbers. Results that are not are computed again in plain
// fp32. If there are many of them, or if a result is Inf or NaN, the guess may have been wrong. Then the
// work-group multiplies once more, with the exponents that the lines need. If this is not enough either, it
// computes the whole tile in plain fp32.
//
// Work-items are TILE_X / 64 warpgroups of multipliers, then one warpgroup of copiers.
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(SWAP) || !defined(STAGES) || !defined(BAND)
#error "fp16x3_one_packed needs TILE_X, TILE_Y, SWAP, STAGES and BAND"
#endif
#define LOADS_STAY
#include "common/arguments.cl"

#define ROWS (SWAP ? TILE_Y : TILE_X)
#define COLUMNS (SWAP ? TILE_X : TILE_Y)
#define MULTIPLIERS (TILE_X * 2)  // their local ids come before those of the copiers
#define COPIERS 128
#define SUMS (TILE_Y / 2)  // per multiplier
#define STEP 32            // depths of a stage
#define C_STRIDE (SWAP ? TILE_X + 4 : TILE_Y + 8)
#define INLINED static inline __attribute__((always_inline))  // so that registers have names
#define MULTIPLIERS_BARRIER asm volatile("bar.sync 1, %0;" ::"n"(MULTIPLIERS) : "memory")
#define PARTS_BARRIER MULTIPLIERS_BARRIER

#include "common/copy_lines.cl"
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/half.cl"
#include "common/parts.cl"
#include "common/tensor_store.cl"
#include "common/tile_order.cl"
#include "common/turn.cl"
#define WGMMA_COLUMNS TILE_Y
#define WGMMA_DEPTH "k16"
#define WGMMA_END ", 0"  // Y lies along k
#include "common/wgmma.cl"

// With tiles of 128 x 128, the multipliers need more registers than each of 384 work-items can have.
#if TILE_X == 128 && TILE_Y == 128
#define GIVE_REGISTERS asm volatile("//@@ setmaxnreg.dec.sync.aligned.u32 24;")
#define TAKE_REGISTERS asm volatile("//@@ setmaxnreg.inc.sync.aligned.u32 240;")
#else
#define GIVE_REGISTERS
#define TAKE_REGISTERS
#endif

// A stage has 32 of k: X as it lies in memory, then Y's planes by 16 of k and 64 lines.
#if SWAP
#define X_ALONG_K TRANSPOSE_B
#define X_ALIGNED ALIGNED_B
#else
#define X_ALONG_K (!TRANSPOSE_A)
#define X_ALIGNED ALIGNED_A
#endif
#define X_STRIDE (X_ALONG_K ? STEP + 8 : TILE_X + 8)
#define X_BYTES (160 * TILE_X)
#define BLOCK_OF_X (BLOCK_DEPTH * (X_ALONG_K ? 1 : X_STRIDE))  // floats to the next 16 of k
#define Y_BLOCKS (TILE_Y / BLOCK_LINES)
#define Y_BYTES (Y_BLOCKS * STEP / BLOCK_DEPTH * BLOCK_BYTES)
#define STAGE_BYTES (X_BYTES + Y_BYTES)
#define MEMORY_BYTES (STAGES * STAGE_BYTES)
#define PLANE_DESCRIPTOR(address) matrix_descriptor(address, CORE_BYTES, GROUP_BYTES, IN_ORDER)
#define TOGETHER 4  // the tensor core adds up the high planes' products of these blocks of 16 of k

// Bits for numbers of a line of X that are larger than the first ones. Each bit is one less for small
// numbers.
#define ROOM 8
#define SCALE_OF_ZEROS 0x1p9f  // the guess if the first numbers are zeros: room for numbers up to 127

// The place of Y's planes: the strips of the tile, the distance between strips, and the first block along k.
typedef struct {
  const __global char* strips;
  ulong strip;
  int first_block;
} Planes;

// The extremes of Y from its notes, and what the multipliers found in each attempt: how many results are not
// exact, and the places of the first ones.
#define MOST_INEXACT 64
typedef struct {
  uint y_largest, y_smallest;  // as in Extremes
  uint inexact[2];             // more than MOST_INEXACT if a result is no number
  uint places[MOST_INEXACT];   // x * TILE_Y + y
} Noticed;

static inline bool is_y_finite(const __local Noticed* noticed) {
  return as_float(noticed->y_largest) < INFINITY;
}

// How many steps are in flight before it is known whether they are needed.
#define FIRST_STEPS (STAGES / 2)

// Tells the copiers whether to continue.
#define VERDICT_BARRIER asm volatile("bar.sync 2, %0;" ::"n"(MULTIPLIERS + COPIERS) : "memory")

// Starts the copies of a stage. One of the copiers also copies the planes.
INLINED void copy_step(const uint memory, const uint barriers, const Source x, const Planes y, Turn* turn,
                       const int depth) {
  const uint stage = memory + turn->stage * STAGE_BYTES;
  const uint full = full_barrier(barriers, turn->stage);
  mbarrier_wait(empty_barrier(barriers, turn->stage), turn->parity);
  if (get_local_id(0) == MULTIPLIERS) {
    const __global char* from =
        y.strips + HEADER_BYTES + (y.first_block + depth / BLOCK_DEPTH) * (ulong)BLOCK_BYTES;
    mbarrier_expect_bytes(full, Y_BYTES);
#pragma unroll
    for (int block = 0; block < Y_BLOCKS * (STEP / BLOCK_DEPTH); ++block) {
      copy_bulk(stage + X_BYTES + block * BLOCK_BYTES,
                from + block % Y_BLOCKS * y.strip + block / Y_BLOCKS * BLOCK_BYTES, BLOCK_BYTES, full);
    }
  }
  copy_lines(get_local_id(0) % COPIERS, stage, x, X_ALONG_K, TILE_X, X_STRIDE, depth);
  mbarrier_arrive_after_copies(full);
  next_turn(turn);
}

// Does the work of the copiers.
INLINED void copy_steps(const uint memory, const uint barriers, const Source x, const Planes y,
                        const __local Noticed* noticed) {
  Turn turn = {0, 1};
  int depth = 0;
  for (; depth < min(x.depth, FIRST_STEPS * STEP); depth += STEP)
    copy_step(memory, barriers, x, y, &turn, depth);
  VERDICT_BARRIER;
  if (!is_y_finite(noticed)) {
    // No copy may be in flight when the work-group ends.
    for (int stage = 0; stage < turn.stage; ++stage) mbarrier_wait(full_barrier(barriers, stage), 0);
    return;
  }
  for (; depth < x.depth; depth += STEP) copy_step(memory, barriers, x, y, &turn, depth);
  VERDICT_BARRIER;
  if (noticed->inexact[0] <= MOST_INEXACT) return;
  for (depth = 0; depth < x.depth; depth += STEP) copy_step(memory, barriers, x, y, &turn, depth);
  for (depth = 0; depth < x.depth; depth += STEP) copy_step(memory, barriers, x, y, &turn, depth);
  VERDICT_BARRIER;
}

// What a multiplier holds of X for 16 of k: its elements of a warp's 16 lines.
typedef struct {
  uint high[4];
  uint low[4];
} Fragments;

// The results of a multiplier. `high` sums the products of high planes over at most 64 of k, and `sums` has
// all those before. `cross` sums the products with a low plane.
typedef struct {
  float sums[SUMS];
  float high[SUMS];
  float cross[SUMS];
} Results;

// The two lines of X that a multiplier sees: powers of two that scale them, and magnitudes: the largest, and
// the least that is not zero, doubled and minus one. A multiplier sees a quarter of the depths. Its `least`
// becomes that of the whole line at the end.
typedef struct {
  float scales[2];
  float largest[2];
  uint least[2];
} Lines;

// Returns the place from which a work-item reads X in a stage. If X does not lie along k, the work-item has
// two neighbouring lines instead of lines 8 apart.
INLINED int place_in_x(const int shift) {
  const int lane = get_local_id(0) % 32;
  const int first = get_local_id(0) / 32 * 16;
  return (X_ALONG_K ? (first + lane / 4) * X_STRIDE + lane % 4 * 2
                    : lane % 4 * 2 * X_STRIDE + first + lane / 4 * 2) +
         shift;
}

// Loads 16 of k: depths 0, 1, 8 and 9 from this work-item's place on, first of one line, then of the other.
INLINED void load_x(float* values, const __local float* x, const int2 shifts) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#if X_ALONG_K
    const __local float* pair = x + i / 2 * 8 * X_STRIDE + i % 2 * 8;
    const float2 both = X_ALIGNED ? *(const __local float2*)pair : (float2)(pair[0], pair[1]);
    values[2 * i] = both.x;
    values[2 * i + 1] = both.y;
#else
    const __local float* pair = x + (i / 2 * 8 + i % 2) * X_STRIDE + (i % 2 == 0 ? shifts.x : shifts.y);
    const float2 both = X_ALIGNED ? *(const __local float2*)pair : (float2)(pair[0], pair[1]);
    values[i] = both.x;
    values[4 + i] = both.y;
#endif
  }
}

// Returns the largest value of the four work-items that see the same lines.
INLINED uint largest_of_quad(uint value) {
#pragma unroll
  for (int apart = 1; apart < 4; apart *= 2) {
    uint other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(other)
                 : "r"(value), "n"(apart));
    value = max(value, other);
  }
  return value;
}

// Returns the scale of a line whose largest number is `most`.
INLINED float scale_for(const float most, const int room) {
  return power_of_two(-line_exponent(min(as_uint(most), as_uint(FLT_MAX) - HALF_UNIT)) - room);
}

INLINED void find_largest(Lines* lines, const float* values) {
#pragma unroll
  for (int i = 0; i < 8; ++i) lines->largest[i / 4] = fmax(lines->largest[i / 4], fabs(values[i]));
}

// Sets the scales from the largest numbers of the lines.
INLINED void set_scales(Lines* lines, const int room) {
#pragma unroll
  for (int line = 0; line < 2; ++line) {
    const float most = as_float(largest_of_quad(as_uint(lines->largest[line])));
    lines->scales[line] = most > 0.0f ? scale_for(most, room) : SCALE_OF_ZEROS;
  }
}

// Loads and splits the fragments of 16 of k.
INLINED void load_fragments(Fragments* fragments, Lines* lines, const __local float* x,
                            const int2 shifts) {
  float values[8];
  load_x(values, x, shifts);
#pragma unroll
  for (int i = 0; i < 8; ++i) lines->least[i / 4] = min(lines->least[i / 4], 2 * as_uint(values[i]) - 1);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int from = i % 2 * 4 + i / 2 * 2;
    const float2 scaled = (float2)(values[from], values[from + 1]) * lines->scales[i % 2];
    fragments->high[i] = half_bits(scaled);
    fragments->low[i] = half_bits((scaled - from_half_bits(fragments->high[i])) * (1.0f / LOW_SCALE));
  }
}

// Starts the three products of 16 of k. The product of the high planes is a group of its own, which comes
// first. `y` is the descriptor of Y's high plane.
INLINED void start_products(Results* results, const Fragments* x, const ulong y, const int keep) {
  wgmma_fence_sums(results->cross);
  wgmma_fence_sums(results->high);
  wgmma(results->high, x->high, y, keep);
  wgmma_commit();
  wgmma(results->cross, x->low, y, 1);
  wgmma(results->cross, x->high, y + PLANE_BYTES / 16, 1);
  wgmma_commit();
}

INLINED void add_high(Results* results) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) results->sums[i] += results->high[i];
}

// The place in a stage at which a multiplier reads X. If X does not lie along k, the shifts are those of its
// depths.
typedef struct {
  int first;
  int2 shifts;
} Place;

INLINED Place place_in(const Source source) {
  const int lane = get_local_id(0) % 32;
  return (Place){place_in_x(X_ALONG_K ? shift_of(source, lane / 4) : 0),
                 (int2)(shift_of(source, lane % 4 * 2), shift_of(source, lane % 4 * 2 + 1))};
}

// Finds the largest numbers of a multiplier's lines in all stages.
INLINED void look_at_all(Lines* lines, Turn* turn, __local char* memory, const uint barriers, const int depth,
                         const Place place) {
  for (int left = depth; left > 0; left -= STEP) {
    mbarrier_wait(full_barrier(barriers, turn->stage), turn->parity);
    const __local float* x = (const __local float*)(memory + turn->stage * STAGE_BYTES) + place.first;
#pragma unroll
    for (int block = 0; block < STEP / BLOCK_DEPTH; ++block) {
      float values[8];
      load_x(values, x + block * BLOCK_OF_X, place.shifts);
      find_largest(lines, values);
    }
    WARP_BARRIER;
    if (get_local_id(0) % 32 == 0) mbarrier_arrive(empty_barrier(barriers, turn->stage));
    next_turn(turn);
  }
}

// Multiplies all stages. The first attempt guesses the scales of the lines.
INLINED void multiply_steps(Results* results, Lines* lines, Turn* turn, __local char* memory,
                            const uint barriers, const int depth, const Place place,
                            const bool is_first_attempt) {
  const bool arrives = get_local_id(0) % 32 == 0;
  const ulong planes = PLANE_DESCRIPTOR(shared_address(memory) + X_BYTES);
#pragma unroll
  for (int i = 0; i < SUMS; ++i) results->sums[i] = results->high[i] = results->cross[i] = 0.0f;
  Fragments even, odd;
  int together = 0;
  int before = -1;  // the stage that is still to be freed
  int left = depth;
  mbarrier_wait(full_barrier(barriers, turn->stage), turn->parity);
  const __local float* first = (const __local float*)(memory + turn->stage * STAGE_BYTES) + place.first;
  if (is_first_attempt) {
    float values[8];
#pragma unroll
    for (int block = 0; block < STEP / BLOCK_DEPTH; ++block) {
      load_x(values, first + block * BLOCK_OF_X, place.shifts);
      find_largest(lines, values);
    }
    set_scales(lines, ROOM);
  }
  load_fragments(&even, lines, first, place.shifts);
  while (true) {
    const __local float* x = (const __local float*)(memory + turn->stage * STAGE_BYTES) + place.first;
    const ulong y = planes + (uint)(turn->stage * (STAGE_BYTES / 16));
    start_products(results, &even, y, together);
    wgmma_wait_but_last_two();  // all products of the stage before are done
    load_fragments(&odd, lines, x + BLOCK_OF_X, place.shifts);
    if (before >= 0 && arrives) mbarrier_arrive(empty_barrier(barriers, before));
    before = turn->stage;
    start_products(results, &odd, y + Y_BLOCKS * BLOCK_BYTES / 16, 1);
    wgmma_wait_but_last_two();
    next_turn(turn);
    left -= STEP;
    if (left > 0) {
      mbarrier_wait(full_barrier(barriers, turn->stage), turn->parity);
      load_fragments(&even, lines, (const __local float*)(memory + turn->stage * STAGE_BYTES) + place.first,
                     place.shifts);
    }
    wgmma_wait_but_last(results->high);  // not only if it is read, because ptxas cannot follow that
    together += STEP / BLOCK_DEPTH;
    if (together == TOGETHER || left <= 0) {
      add_high(results);
      together = 0;
    }
    if (left <= 0) break;
  }
  wgmma_wait(results->cross);
  if (arrives) mbarrier_arrive(empty_barrier(barriers, before));
#pragma unroll
  for (int line = 0; line < 2; ++line) lines->least[line] = ~largest_of_quad(~lines->least[line]);
#pragma unroll
  for (int i = 0; i < SUMS; ++i)
    results->sums[i] = MULTIPLY_ADD(results->cross[i], LOW_SCALE, results->sums[i]);
}

// Returns the least magnitude of a line's scaled sums for which the splitting has lost nothing that matters:
// 0 if that is so for any sum.
INLINED float least_exact(const Lines* lines, const int line, const __local Noticed* noticed, const int k,
                          const int depth) {
  if (lines->least[line] == UINT_MAX) return 0.0f;  // nothing but zeros
  const float least = fmin(1.0f, as_float((lines->least[line] + 1) / 2) * lines->scales[line]);
  const float range = clamp(k, LEAST_DEPTH, MOST_DEPTH);
  const bool is_exact = least * range >= LEAST_TIMES_DEPTH && !is_too_small(noticed->y_smallest, k) &&
                        least * smallest_noted(noticed->y_smallest) * range >= LEASTS_TIMES_DEPTH;
  return is_exact ? 0.0f : least_exact_sum(depth, k);
}

// Multiplies the sums by the powers of two of their lines. `y_exponents` are times EXPONENT_UNIT. Returns a
// bit for each sum of the `y_lines` lines of Y that exist: whether it is less than `least`, that of its line
// of X.
INLINED ulong scale_back(float* sums, const Lines* lines, const __local int* y_exponents, const float2 least,
                        const int y_lines) {
  const int upper = (127 - (int)(as_uint(lines->scales[0]) >> 23)) * EXPONENT_UNIT;
  const int lower = (127 - (int)(as_uint(lines->scales[1]) >> 23)) * EXPONENT_UNIT;
  ulong inexact = 0;
#pragma unroll
  for (int i = 0; i < SUMS; i += 4) {
    const int first = i * 2 + get_local_id(0) % 4 * 2;
    const int2 both = *(const __local int2*)(y_exponents + first);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const bool is_less = fabs(sums[i + j]) < (j < 2 ? least.x : least.y) && first + j % 2 < y_lines;
      inexact |= (ulong)is_less << (i + j);
    }
    const float2 above = scaled_back((float2)(sums[i], sums[i + 1]), upper + both);
    const float2 below = scaled_back((float2)(sums[i + 2], sums[i + 3]), lower + both);
    sums[i] = above.x;
    sums[i + 1] = above.y;
    sums[i + 2] = below.x;
    sums[i + 3] = below.y;
  }
  return inexact;
}

INLINED bool are_numbers(const float* sums) {
  float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < SUMS; ++i) zeros[i % 4] += 0.0f * sums[i];  // NaN if the sum is no number
  return zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0.0f;
}

// The first line of X of a multiplier's results in the tile, and the distance to the other line.
INLINED int first_in_tile(void) {
  const int lane = get_local_id(0) % 32;
  return get_local_id(0) / 32 * 16 + (X_ALONG_K ? lane / 4 : lane / 4 * 2);
}
#define NEXT_IN_TILE (X_ALONG_K ? 8 : 1)

// Notes how many results are not exact, and where.
static inline void note_inexact(volatile __local uint* count, __local uint* places, ulong inexact) {
  for (; inexact != 0; inexact &= inexact - 1) {
    const int i = 63 - clz(inexact & -inexact);
    const int x_line = first_in_tile() + i / 2 % 2 * NEXT_IN_TILE;
    const int y_line = i / 4 * 8 + get_local_id(0) % 4 * 2 + i % 2;
    const uint index = atomic_inc(count);
    if (index < MOST_INEXACT) places[index] = x_line * TILE_Y + y_line;
  }
}

static inline float sum_of_warp(float value) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    float other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=f"(other)
                 : "f"(value), "n"(apart));
    value += other;
  }
  return value;
}

// Computes `count` results of the tile in plain fp32, one by each warp at a time. `y` is Y as it lies in
// memory.
static inline void multiply_some(__local float* tile, const __local uint* places, const int count,
                                 const Source x, const Source y, const bool y_along_k) {
  const int lane = get_local_id(0) % 32;
  for (int i = get_local_id(0) / 32; i < count; i += MULTIPLIERS / 32) {
    const int x_line = places[i] / TILE_Y;
    const int y_line = places[i] % TILE_Y;
    const __global float* of_x = x.first + (X_ALONG_K ? x_line * x.ld : x_line);
    const __global float* of_y = y.first + (y_along_k ? y_line * y.ld : y_line);
    float sum = 0.0f;
#pragma unroll 4
    for (int k = lane; k < x.depth; k += 32)
      sum = MULTIPLY_ADD(of_x[k * (X_ALONG_K ? 1 : x.ld)], of_y[k * (y_along_k ? 1 : y.ld)], sum);
    sum = sum_of_warp(sum);
    if (lane == 0) tile[SWAP ? y_line * C_STRIDE + x_line : x_line * C_STRIDE + y_line] = sum;
  }
}

// Computes the whole tile in plain fp32, in local memory.
static inline void multiply_again(__local float* tile, const Source x, const Source y, const bool y_along_k) {
  const ulong y_line_step = y_along_k ? y.ld : 1;
  const ulong y_step = y_along_k ? 1 : y.ld;
  for (int place = get_local_id(0); place < TILE_X * TILE_Y; place += MULTIPLIERS) {
    const int x_line = X_ALONG_K ? place / TILE_Y : place % TILE_X;
    const int y_line = X_ALONG_K ? place % TILE_Y : place / TILE_X;
    if (x_line >= x.lines || y_line >= y.lines) continue;
    const __global float* of_x = x.first + (X_ALONG_K ? x_line * x.ld : x_line);
    const __global float* of_y = y.first + y_line * y_line_step;
    float sum = 0.0f;
    for (int k = 0; k < x.depth; ++k) {
      sum = MULTIPLY_ADD(*of_x, *of_y, sum);
      of_x += X_ALONG_K ? 1 : x.ld;
      of_y += y_step;
    }
    tile[SWAP ? y_line * C_STRIDE + x_line : x_line * C_STRIDE + y_line] = sum;
  }
}

// Returns the part of an operand from a line and a depth on. `operand` has the lines from there on already.
static inline Source source_from(Source operand, const bool along_k, const int line, const int depth) {
  operand.first += along_k ? line * operand.ld + depth : line + depth * operand.ld;
  return operand;
}

__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + COPIERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, PARTS_ARGUMENTS, NOTES_ARGUMENTS, PACKED_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local char memory[MEMORY_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES];
  __local int exponents[TILE_Y] __attribute__((aligned(16)));
  __local Noticed noticed;
  const int item = get_local_id(0);
  const uint shared = shared_address(memory);
  const uint rings = shared_address(barriers);
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const int depth = min(k - first_k, part_depth);
  const size_t batch = is_part ? 0 : get_global_id(2);
  // The notes are those of Y alone, then whether each product is done.
  const int groups = SWAP ? a_notes : b_notes;
  __global uint2* const y_notes = (__global uint2*)(notes + notes_offset);
  __global uint* const done =
      (__global uint*)(y_notes + groups * (packed_stride == 0 || is_part ? 1 : get_global_size(2))) + batch;
  const bool tells = get_global_id(0) == 0 && first_k == 0;
  if (before != NO_KERNEL_BEFORE && notes[before + batch] != 0) {
    if (tells) *done = 1;
    return;
  }

  const int2 tile = tile_position((m + ROWS - 1) / ROWS, (n + COLUMNS - 1) / COLUMNS, BAND);
  const int row = tile.x * ROWS;
  const int column = tile.y * COLUMNS;
  const ulong strip = strip_bytes((k + STEP - 1) / STEP * STEP);
  const Planes planes = {(const __global char*)(packed + packed_offset + batch * packed_stride) +
                             (SWAP ? tile.x : tile.y) * Y_BLOCKS * strip,
                         strip, first_k / BLOCK_DEPTH};
  const Source rows = {a + a_offset + batch * a_stride, lda, m - row, depth};
  const Source columns = {b + b_offset + batch * b_stride, ldb, n - column, depth};
  const Source x = source_from(SWAP ? columns : rows, X_ALONG_K, SWAP ? column : row, first_k);
  const Source y = source_from(SWAP ? rows : columns, packed_along_k, SWAP ? row : column, first_k);
  if (item == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      mbarrier_init(full_barrier(rings, stage), COPIERS + 1);
      mbarrier_init(empty_barrier(rings, stage), MULTIPLIERS / 32);
    }
    mbarrier_init_fence();
    noticed.y_largest = noticed.y_smallest = noticed.inexact[0] = noticed.inexact[1] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (item >= MULTIPLIERS) {
    GIVE_REGISTERS;
    copy_steps(shared, rings, x, planes, &noticed);
    return;
  }
  TAKE_REGISTERS;
  // This runs while the first copies are in flight.
  uint2 of_y = (uint2)(0, 0);
  for (int group = item; group < groups; group += MULTIPLIERS)
    of_y = max(of_y, y_notes[(packed_stride == 0 ? 0 : batch * groups) + group]);
  fold_note(&noticed.y_largest, of_y.x);
  fold_note(&noticed.y_smallest, of_y.y);
  for (int line = item; line < TILE_Y; line += MULTIPLIERS)
    exponents[line] = EXPONENT_UNIT * exponent_of_line(planes.strips, strip, line);
  VERDICT_BARRIER;
  const bool is_finite = is_y_finite(&noticed);
  if (tells && item == 0) *done = is_finite;
  if (!is_finite) return;

  const Target whole = {c + c_offset + batch * c_stride, ldc, m, n, alpha, beta};
  const Target of_part = {result_of_part(&parts), parts_ld, m, n, 1.0f, 0.0f};
  const Target target = target_from(is_part ? of_part : whole, row, column);
  prefetch_tile_of_c(target, ROWS, COLUMNS, MULTIPLIERS);
  Results results;
  Lines lines = {{1.0f, 1.0f}, {0.0f, 0.0f}, {UINT_MAX, UINT_MAX}};
  Turn turn = {0, 0};
  int attempt = 0;
  const Place place = place_in(x);
  while (true) {
    multiply_steps(&results, &lines, &turn, memory, rings, depth, place, attempt == 0);
    const float2 least = (float2)(least_exact(&lines, 0, &noticed, k, depth),
                                  least_exact(&lines, 1, &noticed, k, depth));
    note_inexact(&noticed.inexact[attempt], noticed.places,
                 scale_back(results.sums, &lines, exponents, least, y.lines));
    if (!are_numbers(results.sums)) atomic_add(&noticed.inexact[attempt], MOST_INEXACT + 1);
    VERDICT_BARRIER;  // now the memory of the ring is free
    if (noticed.inexact[attempt] <= MOST_INEXACT || ++attempt == 2) break;
    look_at_all(&lines, &turn, memory, rings, depth, place);
    set_scales(&lines, 0);
  }
  __local float* sums = (__local float*)memory;
  if (attempt < 2) {
    const int x_step = SWAP ? 1 : C_STRIDE;
    const int y_step = SWAP ? C_STRIDE : 1;
    put_sums(sums + first_in_tile() * x_step + item % 4 * 2 * y_step, results.sums, SUMS, y_step,
             NEXT_IN_TILE * x_step, false);
    if (noticed.inexact[attempt] > 0) {
      MULTIPLIERS_BARRIER;
      multiply_some(sums, noticed.places, noticed.inexact[attempt], x, y, packed_along_k);
    }
  } else {
    multiply_again(sums, x, y, packed_along_k);
  }
  MULTIPLIERS_BARRIER;
  const Tile from = {sums, ROWS, COLUMNS, C_STRIDE, 1, 0};
  store_tile_of_c(target, from, item, MULTIPLIERS);
  if (is_part && is_last_part(&parts, get_group_id(0), (__local uint*)memory))
    add_parts(&parts, MULTIPLIERS, ROWS, COLUMNS, whole.first, ldc, m, n, row, column, alpha, beta);
}
