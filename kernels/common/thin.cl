// A product with one thin side: THIN lines of the thin operand times LINES lines of the wide operand, for a
// work-group of ITEMS. It is for kernels with `operands: in_place`. "Lines" are rows of op(A) and columns of
// op(B), as in common/tile.cl.
//
// The wide operand is read once, straight into registers. A work-item has 4 of the LINES lines, LINES/4
// apart, and one of SLOTS slots along k. Neighbouring work-items read neighbours in memory, so any offset and
// any leading dimension is read at the speed of aligned ones. Tiles of the thin operand go through local
// memory. At the end the sums of all slots are added up in local memory, always in the same order.
#if !defined(THIN) || !defined(THIN_TOGETHER) || !defined(LINES) || !defined(UNROLL) || !defined(ITEMS)
#error \
    "common/thin.cl needs THIN, THIN_TOGETHER (its lines are neighbours in memory), LINES, UNROLL and ITEMS"
#endif

#define PLACES (LINES / 4)  // work-items side by side across the lines
#define SLOTS (ITEMS / PLACES)
#define BK (SLOTS * UNROLL)
#define STRIDE (THIN + 4)   // the padding spreads neighbouring depths over the banks
#define TILE_SIZE (BK * STRIDE)
#define SUMS_STRIDE (LINES + 4)
#define SUMS_SIZE (4 * SLOTS * SUMS_STRIDE + ITEMS)
#define THIN_MEMORY (2 * TILE_SIZE > SUMS_SIZE ? 2 * TILE_SIZE : SUMS_SIZE)
#define PARTS (ITEMS / (4 * LINES))  // work-items that add up one result together

#include "common/store.cl"
#include "common/sub_group.cl"
#include "common/tile.cl"
DEFINE_TILE(thin, THIN, THIN_TOGETHER, 1)

// Loads the next `end` depths of the wide operand, and zeros after them.
static inline void load_wide(float4 elements[UNROLL], const Lines wide, const int place, const int slot,
                             const int end) {
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
    const int depth = slot + step * SLOTS;
    float values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int line = min(place + i * PLACES, wide.last_line);
      const ulong index = wide.lines_together ? depth * wide.ld + line : line * wide.ld + depth;
      values[i] = depth < end ? wide.elements[index] : 0.0f;
    }
    elements[step] = (float4)(values[0], values[1], values[2], values[3]);
  }
}

static inline void multiply_tile(float4 sums[THIN], const __local float4* thin_tile,
                                 const float4 wide[UNROLL]) {
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
#pragma unroll
    for (int block = 0; block < THIN / 4; ++block) {
      const float4 values = thin_tile[step * SLOTS * STRIDE / 4 + block];
      sums[block * 4] = MULTIPLY_ADD((float4)(values.x), wide[step], sums[block * 4]);
      sums[block * 4 + 1] = MULTIPLY_ADD((float4)(values.y), wide[step], sums[block * 4 + 1]);
      sums[block * 4 + 2] = MULTIPLY_ADD((float4)(values.z), wide[step], sums[block * 4 + 2]);
      sums[block * 4 + 3] = MULTIPLY_ADD((float4)(values.w), wide[step], sums[block * 4 + 3]);
    }
  }
}

// Multiplies this work-item's share of k. sums[i] holds line i of the thin operand times the 4 lines of the
// wide operand.
static inline void multiply_thin(float4 sums[THIN], __local float4* memory, Lines thin, Lines wide,
                                 const int place, const int slot, const int k) {
  const __local float4* first = memory + slot * STRIDE / 4;
  float4 wide_next[UNROLL];
  float4 wide_values[UNROLL];
#pragma unroll
  for (int i = 0; i < THIN; ++i) sums[i] = (float4)(0.0f);
  // The first step along k may be shorter, so that no other step has to check the end of k.
  const int first_depth = k - (k - 1) / BK * BK;
  thin_tile tile = thin_tile_from(thin, 0, STRIDE);
  load_wide(wide_values, wide, place, slot, first_depth);
  load_thin_tile(&tile, first_depth);
  store_thin_tile(&tile, (__local float*)memory, STRIDE);
  wide.elements += first_depth * (wide.lines_together ? wide.ld : 1);

  // Multiplies while the next elements are in flight. The loads stand before the barrier, because compilers
  // delay loads behind it until their results are needed.
  int copy = 0;
  while (tile.depth_left > 0) {
    load_wide(wide_next, wide, place, slot, BK);
    load_thin_tile(&tile, BK);
    wide.elements += BK * (wide.lines_together ? wide.ld : 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply_tile(sums, first + copy * (TILE_SIZE / 4), wide_values);
    tile.to += copy == 0 ? TILE_SIZE : -TILE_SIZE;
    copy ^= 1;
    store_thin_tile(&tile, (__local float*)memory, STRIDE);
#pragma unroll
    for (int step = 0; step < UNROLL; ++step) wide_values[step] = wide_next[step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  multiply_tile(sums, first + copy * (TILE_SIZE / 4), wide_values);
}

// Adds up the sums of 4 lines over all slots. Afterwards each work-item i < 4 * LINES has one sum: for thin
// line i / LINES and for the wide line that wide_line_of() returns.
static inline float add_slots(const float4 sums[4], __local float4* memory, const int place, const int slot) {
  __local float* all = (__local float*)memory;
  __local float* parts = all + 4 * SLOTS * SUMS_STRIDE;
  const int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int i = 0; i < 4; ++i) memory[(i * SLOTS + slot) * SUMS_STRIDE / 4 + place] = sums[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int result = item % (4 * LINES);
  const int part = item / (4 * LINES);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < SLOTS / PARTS; ++i) {
    sum += all[(result / LINES * SLOTS + part * (SLOTS / PARTS) + i) * SUMS_STRIDE + result % LINES];
  }
  parts[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0.0f;
#pragma unroll
  for (int i = 0; i < PARTS; ++i) sum += parts[i * (4 * LINES) + result];
  return sum;
}

static inline int wide_line_of(const int item) {
  return item % LINES / 4 + item % 4 * PLACES;
}

// Does all the work of a work-group. It begins at row and column `first` of C. If `thin_are_rows`, the lines
// of the thin operand are rows of C, and those of the wide operand are columns.
static inline void multiply_and_store(__local float4* memory, const Lines thin, const Lines wide, const int k,
                                      __global float* c, const ulong ldc, const int m, const int n,
                                      const int2 first, const bool thin_are_rows, const float alpha,
                                      const float beta) {
  const int item = get_local_id(0);
  const int place = wide.lines_together ? item % PLACES : item / SLOTS;
  const int slot = wide.lines_together ? item / PLACES : item % SLOTS;
  float4 sums[THIN];
  multiply_thin(sums, memory, thin, wide, place, slot, k);
#pragma unroll
  for (int block = 0; block < THIN; block += 4) {
    const float sum = add_slots(sums + block, memory, place, slot);
    if (item >= 4 * LINES) continue;
    const int thin_line = block + item / LINES;
    const int wide_line = wide_line_of(item);
    store_c(c, ldc, m, n, first.x + (thin_are_rows ? thin_line : wide_line),
            first.y + (thin_are_rows ? wide_line : thin_line), alpha, sum, beta);
  }
}
