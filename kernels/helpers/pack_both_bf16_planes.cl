// clgemm: pack_both_bf16_planes
// role: pack_both
// summary: the form `bf16_planes`: each number as three bf16, zero-padded, in the order that tensor cores read
// size: rows*columns/2*3
// range_notes: 2
// tile: 64 128 1
// local: 256
// grid: tiles

// A work-item takes 8 of k of a line to the three planes, in whole 16-byte pieces; neighbours write neighbouring pieces,
// whether they read neighbours along k or from line to line. So memory is read once and written once, and the tile
// needs no local memory. What the numbers' magnitudes are is noted on the way. Work-groups are few, and each does every
// so many tiles of one operand.
#include "common/bf16_planes.cl"

#define ITEMS 256
#define TILE_LINES 64
#define TILE_DEPTH 128
#define PIECE 8      // of k
#define PIECES (TILE_LINES * TILE_DEPTH / PIECE / ITEMS)  // of one work-item

// A matrix as it lies in memory. `along_k`: neighbours are neighbours along k, not from line to line.
typedef struct {
  __global const float* elements;
  ulong ld;
  bool along_k;
  bool fours;  // along k, all fours are aligned
  int lines, depth;
  int packed_lines, packed_depth;
} Source;

// The bits of the nearest bf16, in the upper half; ties go to the even one, and what would round to Inf to the largest.
static inline uint nearest_bf16(const float value) {
  const uint bits = as_uint(value);
  const uint magnitude = bits & 0x7fffffffu;
  const uint rounded = min(magnitude + 0x7fffu + (magnitude >> 16 & 1u), 0x7f7fffffu);
  return (bits & 0x80000000u) | (rounded & 0xffff0000u);
}

// The three planes of two neighbours along k, each plane in one uint.
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

// Eight of k of a line; zeros where the matrix ends.
static inline void load_piece(float* values, const Source source, const int line, const int depth) {
  if (source.fours && line < source.lines && depth + PIECE <= source.depth) {
    const __global float4* place = (const __global float4*)(source.elements + line * source.ld + depth);
    const float4 low = place[0];
    const float4 high = place[1];
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
    return;
  }
#pragma unroll
  for (int next = 0; next < PIECE; ++next) {
    const int deep = depth + next;
    const ulong index = source.along_k ? line * source.ld + deep : deep * source.ld + line;
    values[next] = line < source.lines && deep < source.depth ? source.elements[index] : 0.0f;
  }
}

// The largest magnitude among these and `extremes`, and the largest complement of one that is not zero.
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
    depths[i] = tile_depth + (source.along_k ? item % 4 : item / TILE_LINES) * PIECE + i * (TILE_DEPTH / PIECES);
    load_piece(values[i], source, lines[i], depths[i]);
  }
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    extremes = extremes_with(extremes, values[i]);
    if (depths[i] >= source.packed_depth) continue;
    const size_t block =
        (size_t)(lines[i] / BLOCK_LINES) * (source.packed_depth / BLOCK_DEPTH) + depths[i] / BLOCK_DEPTH;
    const int piece = lines[i] % BLOCK_LINES / 8 * (GROUP_BYTES / 16) + depths[i] / 8 % 2 * 8 + lines[i] % 8;
    store_planes(packed + block * (BLOCK_BYTES / 16) + piece, values[i]);
  }
  return extremes;
}

// Every so many tiles of an operand, by work-group `group` of `groups`.
static inline uint2 pack_tiles(__global uint4* restrict packed, const Source source, const int group,
                               const int groups) {
  const int across = (source.packed_depth + TILE_DEPTH - 1) / TILE_DEPTH;
  const int tiles = source.packed_lines / TILE_LINES * across;
  uint2 extremes = (uint2)(0, 0);
  for (int tile = group; tile < tiles; tile += groups) {
    extremes = pack_tile(packed, source, tile / across * TILE_LINES, tile % across * TILE_DEPTH, extremes);
  }
  return extremes;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void pack_both(const int depth, const int packed_depth, __global float* restrict packed,
               const int a_groups, const int a_lines, const int packed_a_lines,
               __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
               const int a_along_k, const ulong packed_a_offset, const ulong packed_a_stride,
               const int b_groups, const int b_lines, const int packed_b_lines,
               __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
               const int b_along_k, const ulong packed_b_offset, const ulong packed_b_stride,
               __global uint* restrict notes, const ulong notes_offset) {
  __local uint2 extremes[ITEMS];
  const int item = get_local_id(0);
  const size_t batch = get_global_id(2);
  const bool is_a = get_group_id(0) < a_groups;
  const ulong packed_stride = is_a ? packed_a_stride : packed_b_stride;
  if (batch > 0 && packed_stride == 0) return;  // one copy for the whole batch

  const ulong ld = is_a ? lda : ldb;
  const bool along_k = is_a ? a_along_k : b_along_k;
  __global const float* elements =
      is_a ? a + a_offset + batch * a_stride : b + b_offset + batch * b_stride;
  const bool fours = along_k && (size_t)elements % 16 == 0 && ld % 4 == 0;
  const Source source = {elements, ld, along_k, fours, is_a ? a_lines : b_lines, depth,
                         is_a ? packed_a_lines : packed_b_lines, packed_depth};
  __global uint4* to =
      (__global uint4*)(packed + (is_a ? packed_a_offset : packed_b_offset) + batch * packed_stride);
  const int group = is_a ? get_group_id(0) : get_group_id(0) - a_groups;
  const int groups = is_a ? a_groups : b_groups;

  extremes[item] = pack_tiles(to, source, group, groups);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = ITEMS / 2; width > 0; width /= 2) {
    if (item < width) extremes[item] = max(extremes[item], extremes[item + width]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // The notes of all A of the batch, then those of all B.
  const size_t a_copies = packed_a_stride == 0 ? 1 : get_global_size(2);
  const size_t note = is_a ? batch * a_groups + group : a_copies * a_groups + batch * b_groups + group;
  if (item == 0) ((__global uint2*)(notes + notes_offset))[note] = extremes[0];
}
