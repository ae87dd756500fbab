// clgemm: pack_bf16_planes
// role: pack
// summary: the form `bf16_planes`: each number as three bf16, zero-padded, in the order that tensor cores read
// b: transposed
// size: rows*columns/2*3
// notes: 2
// tile: 64 64 1
// local: 256 1
// grid: columns rows

// A work-item takes 8 of k of a line to the three planes, in whole 16-byte pieces; neighbours write neighbouring pieces,
// whether they read neighbours along k or from line to line. So memory is read once and written once, and the tile
// needs no local memory. What the numbers' magnitudes are is noted on the way.
#if !defined(TRANSPOSE)
#error "pack_bf16_planes needs TRANSPOSE"
#endif
#include "common/bf16_planes.cl"

#define ITEMS 256
#define TILE 64      // lines, and of k
#define PIECE 8      // of k
#define PIECES (TILE * TILE / PIECE / ITEMS)  // of one work-item

// The bits of the nearest bf16, in the upper half; ties go to the even one, and what would round to Inf to the largest.
static inline uint nearest_bf16(const float value) {
  const uint bits = as_uint(value);
  const uint magnitude = bits & 0x7fffffffu;
  const uint rounded = min(magnitude + 0x7fffu + (magnitude >> 16 & 1u), 0x7f7fffffu);
  return (bits & 0x80000000u) | (rounded & 0xffff0000u);
}

// The three planes of two neighbours along k, each plane in one uint.
static inline uint3 planes_of(const float2 values) {
  uint planes[3];
  float2 rest = values;
#pragma unroll
  for (int plane = 0; plane < 3; ++plane) {
    const uint2 bits = (uint2)(nearest_bf16(rest.x), nearest_bf16(rest.y));
    planes[plane] = bits.x >> 16 | bits.y;
    rest -= as_float2(bits);
  }
  return (uint3)(planes[0], planes[1], planes[2]);
}

static inline void store_planes(__global uint4* restrict group, const float* values) {
  uint3 pairs[PIECE / 2];
#pragma unroll
  for (int pair = 0; pair < PIECE / 2; ++pair) {
    pairs[pair] = planes_of((float2)(values[2 * pair], values[2 * pair + 1]));
  }
  group[0] = (uint4)(pairs[0].x, pairs[1].x, pairs[2].x, pairs[3].x);
  group[PLANE_BYTES / 16] = (uint4)(pairs[0].y, pairs[1].y, pairs[2].y, pairs[3].y);
  group[2 * PLANE_BYTES / 16] = (uint4)(pairs[0].z, pairs[1].z, pairs[2].z, pairs[3].z);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void pack(const int lines, const int depth,
          __global const float* restrict source, const ulong source_offset, const ulong source_ld,
          const ulong source_stride, const int packed_lines, const int packed_depth,
          __global float* restrict packed, const ulong packed_offset, const ulong packed_ld,
          const ulong packed_stride, __global uint* notes, const ulong notes_offset) {
  __local uint tile_notes[NOTES];
  const int item = get_local_id(0);
  const int tile_line = get_group_id(1) * TILE;
  const int tile_depth = get_group_id(0) * TILE;
  source += source_offset + get_global_id(2) * source_stride;
  packed += packed_offset + get_global_id(2) * packed_stride;
  notes += notes_offset;
  if (item < NOTES) tile_notes[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  const bool fours = !TRANSPOSE && (size_t)source % 16 == 0 && source_ld % 4 == 0;
  uint largest = 0;
  uint smallest = 0;  // the largest complement
#pragma unroll
  for (int i = 0; i < PIECES; ++i) {
    const int line = tile_line + (TRANSPOSE ? item % TILE : item / 4);
    const int first = tile_depth + (TRANSPOSE ? item / TILE : item % 4) * PIECE + i * (TILE / PIECES);
    const bool inside = line < lines && first + PIECE <= depth;
    float values[PIECE];
    if (fours && inside) {
      const __global float4* place = (const __global float4*)(source + line * source_ld + first);
      const float4 low = place[0];
      const float4 high = place[1];
      values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
      values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
    } else {
#pragma unroll
      for (int next = 0; next < PIECE; ++next) {
        const int deep = first + next;
        const ulong index = TRANSPOSE ? deep * source_ld + line : line * source_ld + deep;
        values[next] = line < lines && deep < depth ? source[index] : 0.0f;
      }
    }
#pragma unroll
    for (int next = 0; next < PIECE; ++next) {
      const uint magnitude = as_uint(values[next]) & 0x7fffffffu;
      largest = max(largest, magnitude);
      smallest = max(smallest, magnitude == 0 ? 0 : ~magnitude);
    }
    if (first < packed_depth) {
      const size_t block = (size_t)(line / BLOCK_LINES) * (packed_depth / BLOCK_DEPTH) + first / BLOCK_DEPTH;
      const size_t bytes = block * BLOCK_BYTES + line % BLOCK_LINES / 8 * GROUP_BYTES + first / 8 % 2 * CORE_BYTES;
      store_planes((__global uint4*)packed + bytes / 16 + line % 8, values);
    }
  }

  atomic_max(&tile_notes[NOTED_LARGEST], largest);
  atomic_max(&tile_notes[NOTED_SMALLEST], smallest);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < NOTES && tile_notes[item] > notes[item]) atomic_max(&notes[item], tile_notes[item]);
}
