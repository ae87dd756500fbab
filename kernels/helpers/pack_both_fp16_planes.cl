// clgemm: pack_both_fp16_planes
// role: pack_both
// summary: the form `fp16_planes`: each number as two fp16, one exponent per line, as tensor cores read it
// size: rows*(columns+1)
// range_notes: 2
// param: ITEMS = 512 in 256 512
// tile: 8 1048576 1     a work-group has whole lines
// local: ITEMS
// grid: tiles

// The exponent of a line must be known before its planes are written. A work-group has a few whole lines. It
// takes the exponent from their first numbers, with some room for larger ones. If the room was not enough, it
// begins again. So memory is usually read once and written once. Neighbours write neighbouring 16-byte
// pieces, whether they read neighbours along k or from line to line. There are few work-groups; each packs
// several groups of lines of one operand, at a constant distance.
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/half.cl"
#include "common/packing.cl"

#if !defined(ITEMS)
#error "pack_both_fp16_planes needs ITEMS"
#endif
#define LINES 8        // lines of a work-group at a time, which lie together in a block
#define TOGETHER 1024  // depths of all pieces of all work-items
#define STEP (ITEMS / LINES * PIECE)  // depths from one piece to the next
#define PIECES (TOGETHER / STEP)      // pieces of a work-item at a time
// Bits for numbers larger than the first ones of a line. Each bit is one less for small numbers.
#define ROOM 1

// The part of a work-group's lines that a work-item has. Neighbours read what is contiguous in memory, and
// write what is contiguous in the planes.
typedef struct {
  int line, depth;
} Position;

static inline Position position_of(const Source source) {
  const int item = get_local_id(0);
  if (source.along_k) return (Position){item / 4 % LINES, (item % 4 + item / (4 * LINES) * 4) * PIECE};
  return (Position){item % LINES, item / LINES * PIECE};
}

static inline uint magnitude_of(const float value) {
  return as_uint(value) & 0x7fffffffu;
}

// Returns the two planes of two neighbours along k, each plane in one uint.
static inline uint2 planes_of(const float2 values) {
  const uint high = half_bits(values);
  return (uint2)(high, half_bits((values - from_half_bits(high)) * (1.0f / LOW_SCALE)));
}

static inline void store_planes(__global uint4* restrict place, const float* values, const float scale) {
  uint2 pairs[PIECE / 2];
#pragma unroll
  for (int pair = 0; pair < PIECE / 2; ++pair) {
    pairs[pair] = planes_of((float2)(values[2 * pair], values[2 * pair + 1]) * scale);
  }
  place[0] = (uint4)(pairs[0].x, pairs[1].x, pairs[2].x, pairs[3].x);
  place[PLANE_BYTES / 16] = (uint4)(pairs[0].y, pairs[1].y, pairs[2].y, pairs[3].y);
}

// Returns the complement of the smallest nonzero magnitude among a work-item's pieces, after scaling. A
// number that is lost in scaling counts as the smallest.
static inline uint complement_of_least(uint complement, const float* values, const float scale) {
#pragma unroll
  for (int next = 0; next < PIECE; ++next) {
    if (values[next] != 0.0f) complement = max(complement, ~magnitude_of(values[next] * scale));
  }
  return complement;
}

static inline uint load_pieces(float values[PIECES][PIECE], const Source source, const int line,
                               const int depth, uint most) {
#pragma unroll
  for (int i = 0; i < PIECES; ++i) load_piece(values[i], source, line, depth + i * STEP);
#pragma unroll
  for (int i = 0; i < PIECES * PIECE; ++i) most = max(most, magnitude_of(values[i / PIECE][i % PIECE]));
  return most;
}

// Returns the complement with these pieces included.
static inline uint note_pieces(float values[PIECES][PIECE], const Source source, const int depth,
                               const float scale, uint complement) {
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    if (depth + i * STEP < source.packed_depth)
      complement = complement_of_least(complement, values[i], scale);
  }
  return complement;
}

static inline void split_pieces(float values[PIECES][PIECE], __global uint4* restrict packed,
                                const Source source, const int line, const int depth, const float scale) {
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    if (depth + i * STEP >= source.packed_depth) continue;
    store_planes(packed + place_of_piece(source, line, depth + i * STEP), values[i], scale);
  }
}

// Returns the largest number of a line, from what its work-items have. The word must be 0 before. Contains a
// barrier.
static inline uint largest_of_line(volatile __local uint* largest, const uint most) {
  if (most > *largest) atomic_max(largest, most);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *largest;
}

// Packs a work-group's lines from `first` on. `memory` has two words for each line: the largest of its first
// numbers, and the largest of all. The next word tells whether to begin again. The last word tells that the
// planes are in vain, because a number is too small for any partner. The rest of these lines is not packed
// then, and their note makes every GEMM fall back. Two matrices of 4096 x 4096, uniform numbers times 2^-i
// with random i < 30, take 27 us this way. Packing all of them takes 79 us (H200, November 2026). Planes are
// never in vain if the other operand is not packed, because that kernel looks at its results instead
// (fp16x3_one_packed.cl).
static inline uint2 pack_lines(__local uint* memory, __global uint4* restrict packed, const Source source,
                               const int first, uint2 extremes) {
  const Position position = position_of(source);
  const int line = first + position.line;
  __local uint* of_line = memory + position.line;
  volatile __local uint* in_vain = memory + 2 * LINES + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 3 * LINES) memory[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  const bool goes_on = source.packed_depth > TOGETHER;
  float values[PIECES][PIECE];
  uint most = 0;
  uint complement = 0;
  int exponent = 0;
  bool again = false;
  do {
    int depth = 0;
    do {
      most = load_pieces(values, source, line, depth + position.depth, most);
      if (depth == 0 && !again)
        exponent = line_exponent(largest_of_line(of_line, most)) + (goes_on ? ROOM : 0);
      const float scale = power_of_two(-exponent);
      complement = note_pieces(values, source, depth + position.depth, scale, complement);
      if (!source.is_alone && is_too_small(complement, source.packed_depth)) *in_vain = 1;
      if (*in_vain == 0) split_pieces(values, packed, source, line, depth + position.depth, scale);
      depth += TOGETHER;
    } while (depth < source.packed_depth && *in_vain == 0);
    if (!goes_on || again) break;
    const int needed = line_exponent(largest_of_line(of_line + LINES, most));
    if (needed > exponent) memory[2 * LINES] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    // This differs between work-items if some begin again already and find the planes in vain.
    again = memory[2 * LINES] != 0 && *in_vain == 0;
    if (again) {
      exponent = needed;
      complement = 0;
    }
  } while (again);
  if (position.depth == 0) set_exponent_of_line(packed, strip_bytes(source.packed_depth), line, exponent);
  const uint noted = *in_vain != 0 ? UINT_MAX : complement;
  return max(extremes, (uint2)(most, noted));
}

// Packs the lines of an operand that belong to work-group `group` of `groups`.
static inline uint2 pack_part(__local uint* memory, __global uint4* restrict packed, const Source source,
                              const int group, const int groups) {
  uint2 extremes = (uint2)(0, 0);
  for (int first = group * LINES; first < source.packed_lines; first += groups * LINES) {
    extremes = pack_lines(memory, packed, source, first, extremes);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return extremes;
}

#include "common/pack_both.cl"
