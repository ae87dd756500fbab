// clgemm: pack_both_bf16_planes
// role: pack_both
// summary: the form `bf16_planes`: each number as three bf16, zero-padded, as tensor cores read it
// size: rows*columns/2*3
// range_notes: 2
// tile: 64 128 1
// local: 256
// grid: tiles

// A work-item packs 8 of k of a line into the three planes, in whole 16-byte pieces. Neighbours write
// neighbouring pieces, whether they read neighbours along k or from line to line. So memory is read once and
// written once, and the tile needs no local memory. The kernel also notes the magnitudes of the numbers.
// There are few work-groups; each packs several tiles of one operand, at a constant distance.
#include "common/bf16_planes.cl"
#include "common/packing.cl"

#define ITEMS 256
#define TILE_LINES 64
#define TILE_DEPTH 128
#define PIECES (TILE_LINES * TILE_DEPTH / PIECE / ITEMS)  // per work-item

// Returns the bits of the nearest bf16 in the upper half. Ties go to the even number, and what would round to
// Inf becomes the largest bf16.
static inline uint nearest_bf16(const float value) {
  const uint bits = as_uint(value);
  const uint magnitude = bits & 0x7fffffffu;
  const uint rounded = min(magnitude + 0x7fffu + (magnitude >> 16 & 1u), 0x7f7fffffu);
  return (bits & 0x80000000u) | (rounded & 0xffff0000u);
}

// Returns the three planes of two neighbours along k, each plane in one uint.
static inline uint3 planes_of(const float2 values) {
  uint planes[PLANES];
  float2 rest = values;
#pragma unroll
  for (int plane = 0; plane < PLANES; ++plane) {
    const uint2 bits = (uint2)(nearest_bf16(rest.x), nearest_bf16(rest.y));
    planes[plane] = bits.x >> 16 | bits.y;
    rest -= as_float2(bits);
  }
  return (uint3)(planes[0], planes[1], planes[2]);
}

static inline void store_planes(__global uint4* restrict pieces, const float* values) {
  uint3 pairs[PIECE / 2];
#pragma unroll
  for (int pair = 0; pair < PIECE / 2; ++pair) {
    pairs[pair] = planes_of((float2)(values[2 * pair], values[2 * pair + 1]));
  }
  pieces[0] = (uint4)(pairs[0].x, pairs[1].x, pairs[2].x, pairs[3].x);
  pieces[PLANE_BYTES / 16] = (uint4)(pairs[0].y, pairs[1].y, pairs[2].y, pairs[3].y);
  pieces[2 * PLANE_BYTES / 16] = (uint4)(pairs[0].z, pairs[1].z, pairs[2].z, pairs[3].z);
}

// Returns the larger of `extremes` and those of these values: the largest magnitude, and the largest
// complement of a nonzero one.
static inline uint2 extremes_with(uint2 extremes, const float* values) {
#pragma unroll
  for (int next = 0; next < PIECE; ++next) {
    const uint magnitude = as_uint(values[next]) & 0x7fffffffu;
    extremes = max(extremes, (uint2)(magnitude, magnitude == 0 ? 0 : ~magnitude));
  }
  return extremes;
}

static inline uint2 pack_tile(__global uint4* restrict packed, const Source source, const int tile_line,
                              const int tile_depth, uint2 extremes) {
  const int item = get_local_id(0);
  float values[PIECES][PIECE];
  int lines[PIECES];
  int depths[PIECES];
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    lines[i] = tile_line + (source.along_k ? item / 4 : item % TILE_LINES);
    depths[i] =
        tile_depth + (source.along_k ? item % 4 : item / TILE_LINES) * PIECE + i * (TILE_DEPTH / PIECES);
    load_piece(values[i], source, lines[i], depths[i]);
  }
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    extremes = extremes_with(extremes, values[i]);
    if (depths[i] >= source.packed_depth) continue;
    store_planes(packed + place_of_piece(source, lines[i], depths[i]), values[i]);
  }
  return extremes;
}

// Packs the tiles of an operand that belong to work-group `group` of `groups`.
static inline uint2 pack_part(__local uint* memory, __global uint4* restrict packed, const Source source,
                              const int group, const int groups) {
  const int across = (source.packed_depth + TILE_DEPTH - 1) / TILE_DEPTH;
  const int tiles = source.packed_lines / TILE_LINES * across;
  uint2 extremes = (uint2)(0, 0);
  for (int tile = group; tile < tiles; tile += groups) {
    extremes = pack_tile(packed, source, tile / across * TILE_LINES, tile % across * TILE_DEPTH, extremes);
  }
  return extremes;
}

#include "common/pack_both.cl"
