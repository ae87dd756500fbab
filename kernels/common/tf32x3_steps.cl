// The three products of TF32 parts on Hopper's tensor cores, a step of 32 of k at a time. The parts of
// numbers and their limits are in common/tf32_parts.cl. The tensor core truncates when it adds, so its sums
// must not become long, and the small products come first (docs/accuracy.md).
//
// A tile is TILE_X lines of one operand, X, times TILE_Y lines of the other operand, Y. X has rows of C, or
// columns if SWAP. SLICE_MULTIPLIERS work-items multiply a tile, or one slice of it. wgmma takes X from
// registers and Y from local memory, as two planes. Both operands come to local memory unchanged. The
// multipliers split X themselves, because X passes through their registers anyway. The planes of Y are made
// once for all multipliers. A tile of results in local memory has rows of C_STRIDE floats.
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(SWAP) || !defined(SLICE_MULTIPLIERS) || \
    !defined(C_STRIDE)
#error "common/tf32x3_steps.cl needs TILE_X, TILE_Y, SWAP, SLICE_MULTIPLIERS and C_STRIDE"
#endif
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B)
#error "common/tf32x3_steps.cl needs TRANSPOSE_A and TRANSPOSE_B"
#endif
#define SUMS (TILE_Y / 2)  // per work-item
#define STEP 32            // depths
#define COPIERS 128        // work-items that copy lines together
#define INLINED static inline __attribute__((always_inline))

#define PLANE_TYPE "tf32"
#define WGMMA_COLUMNS TILE_Y
#define WGMMA_DEPTH "k8"
#define WGMMA_END ""
#include "common/copy_lines.cl"
#include "common/tensor_store.cl"
#include "common/tf32_parts.cl"
#include "common/wgmma.cl"

// The layout of the operands, in memory and in a step. The strides leave room for shifts and spread rows
// over the banks. X lies in blocks of X_TOGETHER lines, because copy_lines() copies so many at most.
#define X_TOGETHER (TILE_X < 128 ? TILE_X : 128)
#define X_ALONG_K (SWAP ? TRANSPOSE_B : !TRANSPOSE_A)
#define Y_ALONG_K (SWAP ? !TRANSPOSE_A : TRANSPOSE_B)
#define X_STRIDE (X_ALONG_K ? STEP + 4 : X_TOGETHER + 8)
#define Y_STRIDE (Y_ALONG_K ? STEP + 4 : TILE_Y + 4)
#define X_BLOCK_BYTES (4 * X_STRIDE * (X_ALONG_K ? X_TOGETHER : STEP))
#define X_BYTES (TILE_X / X_TOGETHER * X_BLOCK_BYTES)
#define Y_BYTES (4 * Y_STRIDE * (Y_ALONG_K ? TILE_Y : STEP))
#define PLANE_BYTES (4 * STEP * TILE_Y)
#define LINE_DESCRIPTOR(address) matrix_descriptor(address, 16, 8 * 4 * STEP, SWIZZLED_128)

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

// Returns the place from which a work-item reads X in a step. If X does not lie along k, the work-item has
// two neighbouring lines instead of lines 8 apart. Any line of X may be any row of a fragment, as long as the
// results are stored accordingly.
INLINED int place_in_x(const bool shifted, const int shift) {
  const int lane = get_local_id(0) % 32;
  const int line = get_local_id(0) % SLICE_MULTIPLIERS / 32 * 16;
  const int block = line / X_TOGETHER * (X_BLOCK_BYTES / 4);
  const int first = line % X_TOGETHER;
  if (!X_ALONG_K) return block + lane % 4 * X_STRIDE + first + lane / 4 * 2 + shift;
  return block + (shifted ? (first + lane / 4) * X_STRIDE + lane % 4 + shift
                          : (first + lane % 16) * X_STRIDE + lane / 16 * 4);
}

// Starts the copies of X for a step.
INLINED void copy_x(const int item, const Shared place, const Source x, const int from) {
#pragma unroll
  for (int block = 0; block < TILE_X / X_TOGETHER; ++block) {
    const int line = block * X_TOGETHER;
    const Source lines = {x.first + line * (X_ALONG_K ? x.ld : 1), x.ld, x.lines - line, x.depth};
    copy_lines(item, place + block * X_BLOCK_BYTES, lines, X_ALONG_K, X_TOGETHER, X_STRIDE, from);
  }
}

// Loads fragment `i`, which is 8 of k. `x` is the step's X from place_in_x() on.
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

// Makes two planes of Y, along k. COPIERS work-items call it; this one has the number `item`. A work-item
// reads four depths of a line if Y lies along k, otherwise four lines at one depth. It reads FOURS_TOGETHER
// before it writes what they give. One after the other, tiles of 64 x 64 take 10 % longer (H200, November
// 2026), because a compiler cannot know that the planes do not overlap Y.
#define FOURS (TILE_Y * STEP / 4 / COPIERS)
#define FOURS_TOGETHER (FOURS < 4 ? FOURS : 4)
INLINED void split_planes(const int item, __local uint* planes, uint* least, const __local float* y,
                          const bool shifted, const int shift) {
  const int first_line = Y_ALONG_K ? item / 8 : item / STEP * 4;
  const int lines_apart = COPIERS / (Y_ALONG_K ? 8 : STEP / 4);
  const int depth = Y_ALONG_K ? item % 8 * 4 : item % STEP;
#pragma unroll
  for (int first = 0; first < FOURS; first += FOURS_TOGETHER) {
    uint4 fours[FOURS_TOGETHER];
#pragma unroll
    for (int i = 0; i < FOURS_TOGETHER; ++i) {
      const int line = first_line + (first + i) * lines_apart;
      const __local float* place =
          y + (Y_ALONG_K ? line : depth) * Y_STRIDE + (Y_ALONG_K ? depth : line) + shift;
      fours[i] = as_uint4(shifted ? (float4)(place[0], place[1], place[2], place[3])
                                  : *(const __local float4*)place);
    }
#pragma unroll
    for (int i = 0; i < FOURS_TOGETHER; ++i) {
      const int line = first_line + (first + i) * lines_apart;
      const uint4 bits = fours[i];
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
}

// Starts the small products of a step, those with a low part. Each fragment is read while the ones before it
// are being multiplied. If `keep` is 0, the sums start from zero. `x` is the step's X from place_in_x() on,
// `planes` the address of Y's planes.
INLINED void start_small_products(float* sums, Fragments* fragments, uint* least, const __local float* x,
                                  const bool shifted, const uint planes, const int keep) {
  load_fragment(fragments, least, x, shifted, 0);
  wgmma_fence_sums(sums);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    wgmma(sums, fragments->low[i], LINE_DESCRIPTOR(planes + 32 * i), i > 0 ? 1 : keep);
    wgmma(sums, fragments->high[i], LINE_DESCRIPTOR(planes + PLANE_BYTES + 32 * i), 1);
    if (i == 3) break;
    load_fragment(fragments, least, x, shifted, i + 1);
    wgmma_fence();
  }
}

// Starts the other products, those of the high parts.
INLINED void start_large_products(float* sums, const Fragments* fragments, const uint planes) {
#pragma unroll
  for (int i = 0; i < 4; ++i) wgmma(sums, fragments->high[i], LINE_DESCRIPTOR(planes + 32 * i), 1);
}

// Keeps parts in registers until the products that read them are done.
INLINED void keep_parts(const uint parts[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("" ::"r"(parts[i][0]), "r"(parts[i][1]), "r"(parts[i][2]), "r"(parts[i][3]));
}

INLINED bool are_numbers(const float* sums) {
  float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < SUMS; ++i) zeros[i % 4] = still_zero(zeros[i % 4], sums[i]);
  return zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0.0f;
}

// Adds a slice's sums to the tile in local memory; the first slice overwrites what was there. This work-item
// has the number `item` in its slice.
INLINED void add_to_tile(const int item, __local float* tile, const float* sums, const bool is_first) {
  const int lane = item % 32;
  const int x = item / 32 * 16 + (X_ALONG_K ? lane / 4 : lane / 4 * 2);
  const int x_step = SWAP ? 1 : C_STRIDE;
  const int y_step = SWAP ? C_STRIDE : 1;
  const int below = (X_ALONG_K ? 8 : 1) * x_step;
  put_sums(tile + x * x_step + lane % 4 * 2 * y_step, sums, SUMS, y_step, below, !is_first);
}
