// clgemm: gemv
// summary: one column or row: the matrix is read once, straight to registers; the work-group shares k
// operands: in_place
// most_columns: 1
// param: LINES = 16 in 8 16 32
// param: UNROLL = 2 in 1 2 4
// param: ITEMS = 256 in 64 128 256 512
// tile: LINES*(1+3*TRANSPOSE_A) 1 16*ITEMS/LINES*UNROLL
// local: ITEMS 1
// grid: rows columns
// adds_parts: nvidia_sm >= 70
// align: 4
// require: ITEMS % (4*LINES) == 0
// require: 4*(4*ITEMS/LINES*(LINES+4)+ITEMS) <= local_bytes
// results: 16*UNROLL
// calibrate_if: is_cpu == 0
// calibrate: ITEMS LINES: 512 32, 512 16, 512 8, 256 32, 256 16, 256 8, 128 32, 128 16

// For n = 1, when every element of A is used once. A work-group has GROUP_LINES rows of op(A), "lines" below:
// LINES, or four times as many if A is transposed. A work-item has 4 lines and one of SLOTS slots along k. It
// reads patches of 4 lines by 4 depths. If A can be read as float4, a patch is four of them: 4 depths of a
// line or 4 lines of a depth. Neighbouring work-items have neighbours in memory. The vector stays in the
// cache and is read there. So no work-item waits for another before the end. Then the sums of all slots are
// added up in local memory, always in the same order.
//
// `tile`: 13480 x 1 x 6267 with A transposed takes 81 us with 128 lines, and 108 us with 32 lines. 777 x 1 x
// 30001 with A not transposed takes 28 us with 8 or 16 lines and 128 work-items (H200, 25 November 2026).
//
// With float4 and A not transposed, 10400 x 1 x 9992 takes 99 us instead of 106, and 2352 x 1 x 9044 takes
// 24.7 us instead of 26.8. These are the times of the best configs (H200, 29 November 2026).
//
// If A is transposed, memory needs long pieces, and many at a time. With 64 lines, eleven matrices of 1 to 93
// million elements took up to 1.18 times as long as the best, and with fewer lines or slots up to 1.27. With
// 128 lines and 16 slots, nine of them took at most 1.02 times as long (H200, 26 November 2026). The rows of
// the H200's tuning file were fitted to 171 other matrices. On these, the choice takes 1.017 times as long as
// the best in the mean. On quarters that were left out of the fit, it takes 1.014 to 1.032 times as long
// (H200, 29 November 2026).
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B) || !defined(ALIGNED_A) || !defined(ALIGNED_B)
#error "operands: in_place needs TRANSPOSE_A, TRANSPOSE_B, ALIGNED_A and ALIGNED_B"
#endif
#include "common/arguments.cl"
#include "common/parts.cl"
#include "common/sub_group.cl"

#define GROUP_LINES (LINES * (TRANSPOSE_A ? 4 : 1))
#define PLACES (GROUP_LINES / 4)  // work-items side by side across the lines
#define SLOTS (ITEMS / PLACES)
#define BK (4 * SLOTS * UNROLL)
#define LINES_IN_FOURS (TRANSPOSE_A && ALIGNED_A)    // a float4 of A is 4 lines
#define DEPTHS_IN_FOURS (!TRANSPOSE_A && ALIGNED_A)  // or 4 depths
#define SHARERS (ITEMS / GROUP_LINES)                // work-items that add up one result together
#define SUMS_STRIDE (GROUP_LINES + 4)                // the padding spreads neighbouring slots over the banks

// Return a line of the work-group, and a depth of a patch, counted from its first one.
static inline int line_of(const int place, const int i) {
  return LINES_IN_FOURS ? place * 4 + i : place + i * PLACES;
}
static inline int depth_of(const int slot, const int j) {
  return DEPTHS_IN_FOURS ? slot * 4 + j : slot + j * SLOTS;
}

// The places at which a work-item reads A and the vector. Addresses that a compiler can compute from each
// other take no registers of their own.
typedef struct {
  __global const float* lines[4];  // if A is transposed, only the first counts,
  int apart[4];                    // and these are the distances to the others
  ulong step;                      // to the next depth of a patch, if A is transposed
  __global const float* vector;
  ulong vector_step;               // from one element of the vector to the next
} Places;

static inline Places places_from(__global const float* a, const ulong lda, const int last_line,
                                 __global const float* vector, const ulong vector_step, const int place,
                                 const int slot) {
  Places from;
  const int last = LINES_IN_FOURS ? last_line - 3 : last_line;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int line = LINES_IN_FOURS ? min(line_of(place, 0), last) + i : min(line_of(place, i), last);
    from.lines[i] = a + (TRANSPOSE_A ? line + slot * lda : line * lda + depth_of(slot, 0));
    from.apart[i] = line - min(line_of(place, 0), last);
  }
  from.step = SLOTS * lda;
  from.vector = vector + depth_of(slot, 0) * vector_step;
  from.vector_step = vector_step;
  return from;
}

// Loads the next UNROLL patches of A, by depths. `depth` depths count. If the patches are `whole`, which the
// compiler knows, these are all depths; otherwise zeros follow.
static inline void load_patches(float4 patches[UNROLL][4], Places* from, const int slot, const bool whole,
                                const int depth) {
  __global const float* element = from->lines[0];
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
    const int left = depth - step * 4 * SLOTS - depth_of(slot, 0);
    float4 lines[4];
    if (DEPTHS_IN_FOURS) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        __global const float4* four = (__global const float4*)(from->lines[i] + step * 4 * SLOTS);
        lines[i] = whole || left > 0 ? *four : (float4)(0.0f);
      }
      patches[step][0] = (float4)(lines[0].x, lines[1].x, lines[2].x, lines[3].x);
      patches[step][1] = (float4)(lines[0].y, lines[1].y, lines[2].y, lines[3].y);
      patches[step][2] = (float4)(lines[0].z, lines[1].z, lines[2].z, lines[3].z);
      patches[step][3] = (float4)(lines[0].w, lines[1].w, lines[2].w, lines[3].w);
      continue;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int at = (step * 4 + j) * SLOTS;
      if (!whole && left <= j * SLOTS) {
        patches[step][j] = (float4)(0.0f);
      } else if (LINES_IN_FOURS) {
        patches[step][j] = *(__global const float4*)element;
      } else if (TRANSPOSE_A) {
        patches[step][j] =
            (float4)(element[0], element[from->apart[1]], element[from->apart[2]], element[from->apart[3]]);
      } else {
        patches[step][j] =
            (float4)(from->lines[0][at], from->lines[1][at], from->lines[2][at], from->lines[3][at]);
      }
      element += from->step;
    }
  }
  if (TRANSPOSE_A) {
    from->lines[0] += whole ? 4 * UNROLL * from->step : depth * (from->step / SLOTS);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) from->lines[i] += whole ? BK : depth;
  }
}

// Multiplies patches by the vector, and advances the vector.
static inline float4 multiply(float4 sums, const float4 patches[UNROLL][4], Places* from, const int slot,
                              const bool whole, const int depth) {
#pragma unroll
  for (int step = 0; step < UNROLL; ++step) {
    const int left = depth - step * 4 * SLOTS - depth_of(slot, 0);
    __global const float* at = from->vector + step * 4 * SLOTS * from->vector_step;
    float4 elements;
    if (DEPTHS_IN_FOURS && TRANSPOSE_B && ALIGNED_B) {
      elements = whole || left > 0 ? *(__global const float4*)at : (float4)(0.0f);
    } else {
      const int apart = DEPTHS_IN_FOURS ? 1 : SLOTS;
      float each[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        each[j] = whole || left > j * apart ? *at : 0.0f;
        at += apart * from->vector_step;
      }
      elements = (float4)(each[0], each[1], each[2], each[3]);
    }
    sums = MULTIPLY_ADD((float4)(elements.x), patches[step][0], sums);
    sums = MULTIPLY_ADD((float4)(elements.y), patches[step][1], sums);
    sums = MULTIPLY_ADD((float4)(elements.z), patches[step][2], sums);
    sums = MULTIPLY_ADD((float4)(elements.w), patches[step][3], sums);
  }
  from->vector += (whole ? BK : depth) * from->vector_step;
  return sums;
}

// Returns the sums of 4 lines over this work-item's share of k. The next patches are in flight while it
// multiplies. The last step along k may be shorter.
static inline float4 sums_of_slot(Places from, const int slot, const int k) {
  float4 patches[UNROLL][4];
  float4 sums = (float4)(0.0f);
  int left = k;
  if (left >= BK) {
    load_patches(patches, &from, slot, true, BK);
    for (left -= BK; left >= BK; left -= BK) {
      float4 next[UNROLL][4];
      load_patches(next, &from, slot, true, BK);
      sums = multiply(sums, patches, &from, slot, true, BK);
#pragma unroll
      for (int step = 0; step < UNROLL; ++step) {
#pragma unroll
        for (int j = 0; j < 4; ++j) patches[step][j] = next[step][j];
      }
    }
    sums = multiply(sums, patches, &from, slot, true, BK);
  }
  if (left > 0) {
    load_patches(patches, &from, slot, false, left);
    sums = multiply(sums, patches, &from, slot, false, left);
  }
  return sums;
}

// Adds up the sums of SHARERS work-items for each line. The first work-items get the results, one line each.
// It is inlined because a call would give one array to all of PoCL's cores.
static inline __attribute__((always_inline)) float add_up_sharers(__local float* all, const float sum) {
  const int item = get_local_id(0);
  all[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float result = 0.0f;
  if (item < GROUP_LINES) {
#pragma unroll
    for (int i = 0; i < SHARERS; ++i) result += all[i * GROUP_LINES + item];
  }
  return result;
}

__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, PARTS_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 sums_of_slots[SLOTS * SUMS_STRIDE / 4];
  __local float sums_of_sharers[ITEMS];
  __local uint word;
  const int item = get_local_id(0);
  const int place = TRANSPOSE_A ? item % PLACES : item / SLOTS;
  const int slot = TRANSPOSE_A ? item / PLACES : item % SLOTS;
  const int first_row = get_group_id(0) * GROUP_LINES;
  const int column = get_group_id(1);
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const size_t batch = is_part ? 0 : get_global_id(2);
  const int first_depth = is_part ? get_global_id(2) * part_depth : 0;
  const int depth = min(k - first_depth, part_depth);
  a += a_offset + batch * a_stride + first_row * (TRANSPOSE_A ? 1 : lda) +
       first_depth * (TRANSPOSE_A ? lda : 1);
  b += b_offset + batch * b_stride + column * (TRANSPOSE_B ? ldb : 1) +
       first_depth * (TRANSPOSE_B ? 1 : ldb);
  c += c_offset + batch * c_stride;
  const Places from = places_from(a, lda, m - 1 - first_row, b, TRANSPOSE_B ? 1 : ldb, place, slot);
  sums_of_slots[slot * (SUMS_STRIDE / 4) + place] = sums_of_slot(from, slot, depth);
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each of the SHARERS of a line adds up SLOTS / SHARERS, that is 4, sums.
  const __local float* all = (const __local float*)sums_of_slots + item % GROUP_LINES;
  const int first_slot = item / GROUP_LINES * (SLOTS / SHARERS);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < SLOTS / SHARERS; ++i) sum += all[(first_slot + i) * SUMS_STRIDE];
  sum = add_up_sharers(sums_of_sharers, sum);

  // The sharers of a line take its parts alternately. No work-item returns before the last barrier.
  const int row = first_row + line_of(item % GROUP_LINES / 4, item % 4);
  const bool has_line = item < GROUP_LINES && row < m;
  bool is_last = true;
  if (is_part) {
    if (has_line) result_of_part(&parts)[row * parts.ld + column] = sum;
    is_last = is_last_part(&parts, column * get_num_groups(0) + get_group_id(0), &word);
    const __global float* result = parts.results + min(row, m - 1) * parts.ld + column;
    sum = 0.0f;
    for (int part = item / GROUP_LINES; is_last && part < parts.count; part += SHARERS)
      sum += result[part * parts.stride];
    sum = add_up_sharers(sums_of_sharers, sum);
  }
  if (has_line && is_last) store_c(c, ldc, m, n, row, column, alpha, sum, beta);
}
