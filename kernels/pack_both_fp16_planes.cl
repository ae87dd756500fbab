// clgemm: pack_both_fp16_planes
// role: pack_both
// summary: the form `fp16_planes`: each number as two fp16 with an exponent for the line, in the order that tensor cores read
// size: rows*(columns+1)
// notes: 2
// tile: 8 1073741824 1     a work-group has whole lines
// local: 512
// grid: tiles

// A line's exponent has to be known before its planes are written. So a work-group goes along eight lines twice: it looks
// for the largest numbers, and comes back to the beginning while it splits them, latest first. What it can keep in registers,
// 1024 of k, it reads once; the rest the second time from the L2 cache mostly, for eight lines are few. Work-groups are few,
// and each has every so many lines of one operand.
#include "common/fp16_planes.cl"
#include "common/half.cl"
#include "common/packing.cl"

#define ITEMS 512
#define LINES 8         // that lie together in a block
#define PIECES 2        // of a work-item, at a time
#define PIECES_ALONG (ITEMS / LINES)
#define DEPTH_TOGETHER (PIECES * PIECES_ALONG * PIECE)

// Which piece a work-item has: neighbours read what is contiguous in memory, and write what is in the planes.
typedef struct {
  int line, depth;
} Position;

static inline Position position_of(const Source source) {
  const int item = get_local_id(0);
  if (source.along_k) return (Position){item / 4 % LINES, (item % 4 + item / (4 * LINES) * 4) * PIECE};
  return (Position){item % LINES, item / LINES * PIECE};
}

static inline void load_pieces(float values[PIECES][PIECE], const Source source, const int line, const int depth) {
#pragma unroll
  for (int i = 0; i < PIECES; ++i) load_piece(values[i], source, line, depth + i * PIECES_ALONG * PIECE);
}

static inline uint magnitude_of(const float value) {
  return as_uint(value) & 0x7fffffffu;
}

// The planes of two neighbours along k, each plane in one uint.
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

// The complement of the smallest scaled magnitude that is not zero; one that is lost in scaling counts as smallest.
static inline uint complement_of_least(uint complement, const float* values, const float scale) {
#pragma unroll
  for (int next = 0; next < PIECE; ++next) {
    if (values[next] != 0.0f) complement = max(complement, ~magnitude_of(values[next] * scale));
  }
  return complement;
}

// Eight lines from `first` on. `largest`: a word for each of them.
static inline uint2 pack_lines(volatile __local uint* largest, __global uint4* restrict packed, const Source source,
                               const int first, uint2 extremes) {
  const int item = get_local_id(0);
  const Position position = position_of(source);
  const int line = first + position.line;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < LINES) largest[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  float values[PIECES][PIECE];
  const int last = (source.packed_depth - 1) / DEPTH_TOGETHER * DEPTH_TOGETHER;
  uint most = 0;
  for (int depth = 0; depth <= last; depth += DEPTH_TOGETHER) {
    load_pieces(values, source, line, depth + position.depth);
#pragma unroll
    for (int i = 0; i < PIECES * PIECE; ++i) most = max(most, magnitude_of(values[i / PIECE][i % PIECE]));
  }
  if (most > largest[position.line]) atomic_max(&largest[position.line], most);
  barrier(CLK_LOCAL_MEM_FENCE);

  const int exponent = line_exponent(largest[position.line]);
  const float scale = power_of_two(-exponent);
  for (int depth = last; depth >= 0; depth -= DEPTH_TOGETHER) {
    if (depth < last) load_pieces(values, source, line, depth + position.depth);
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
      const int at = depth + position.depth + i * PIECES_ALONG * PIECE;
      if (at >= source.packed_depth) continue;
      extremes.y = complement_of_least(extremes.y, values[i], scale);
      store_planes(packed + place_of_piece(source, line, at), values[i], scale);
    }
  }
  if (position.depth == 0) {
    __global int* exponents = (__global int*)((__global char*)packed + line / BLOCK_LINES * strip_bytes(source.packed_depth));
    exponents[line % BLOCK_LINES] = exponent;
  }
  extremes.x = max(extremes.x, most);
  return extremes;
}

// Every so many lines of an operand, by work-group `group` of `groups`.
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
