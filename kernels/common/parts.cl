// Parts of k that one launch multiplies and adds up ("split-K with a semaphore" in CUTLASS): the work-groups of a tile of C, a part of
// k each, leave their results in scratch, and the one that comes last adds all of them up, always in the order of the parts, so that
// the bits do not depend on who that is.
#if !defined(PARTS_BARRIER)  // of the work-items that share a tile
#define PARTS_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#include "common/store.cl"

// What this work-group stores or reads is ordered for all of the device.
#if defined(__NV_CL_C_VERSION)
#define DEVICE_FENCE asm volatile("membar.gl;" ::: "memory")  // which every GPU of theirs has
#else
#define DEVICE_FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)  // OpenCL C 1.2 promises no more; `adds_parts` keeps other devices away
#endif

// Where the parts of k are: `depth` of each but the last, which has the rest. Dimension 2 of the launch counts them.
typedef struct {
  int depth, count;
  __global float* results;  // of part 0
  ulong ld, stride;
  __global uint* arrivals;  // a word for each tile of C, zero before and after the launch
} Parts;

static inline Parts parts_of(const int k, const int depth, __global float* results, const ulong offset, const ulong ld,
                             const ulong stride, __global uint* arrivals) {
  const Parts parts = {depth, (k + depth - 1) / depth, results + offset, ld, stride, arrivals};
  return parts;
}

// Where this work-group's part of k has its result.
static inline __global float* result_of_part(const Parts* parts) {
  return parts->results + get_global_id(2) * parts->stride;
}

// Whether this work-group is the last one of the tile, whose parts are all stored then. `word` is in local memory.
static inline bool is_last_part(const Parts* parts, const size_t tile, __local uint* word) {
  DEVICE_FENCE;
  PARTS_BARRIER;
  if (get_local_id(0) == 0) {
    *word = atomic_inc(parts->arrivals + tile) + 1 == parts->count;
    if (*word) parts->arrivals[tile] = 0;
  }
  PARTS_BARRIER;
  DEVICE_FENCE;
  return *word;
}

// The tile's part of C from its parts' results, by `items` work-items, four neighbours of a row each. PLACES_TOGETHER of them on their
// way at a time: one after the other they take 2 us for each part of a tile of 64 x 128 on an H200. Plain loads will do, for
// is_last_part() ends in a fence.
#define PLACES_TOGETHER 4
static inline void add_parts(const Parts* parts, const int items, const int rows, const int columns, __global float* c,
                             const ulong ldc, const int m, const int n, const int first_row, const int first_column,
                             const float alpha, const float beta) {
  const int places = rows * columns / 4;
  const int together = min(PLACES_TOGETHER, (places + items - 1) / items);  // known to the compiler; all are powers of two
  const int last_row = min(rows, m - first_row) - 1;
  for (int first = get_local_id(0); first < places; first += items * together) {
    __global const float4* from[PLACES_TOGETHER];
    float4 sums[PLACES_TOGETHER];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int place = first + i * items;
      const int row = first_row + min(place / (columns / 4), last_row);  // any that is there, in place of others
      const int column = first_column + place % (columns / 4) * 4;
      from[i] = (__global const float4*)(parts->results + row * parts->ld + min(column, (n - 1) / 4 * 4));
      sums[i] = *from[i];
    }
#pragma unroll 4
    for (int part = 1; part < parts->count; ++part) {
#pragma unroll
      for (int i = 0; i < together; ++i) {
        from[i] += parts->stride / 4;
        sums[i] += *from[i];
      }
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int place = first + i * items;
      store4_c(c, ldc, m, n, first_row + place / (columns / 4), first_column + place % (columns / 4) * 4, alpha, sums[i], beta);
    }
  }
}
