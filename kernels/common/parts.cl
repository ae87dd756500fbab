// Split-K with a semaphore, in one launch. A part is one slice along k. Each work-group of a tile of C
// multiplies one part and stores its result in scratch. The last work-group to arrive adds up all parts. It
// always adds in the order of the parts, so the bits of the result do not depend on which work-group is last.
#if !defined(PARTS_BARRIER)  // for the work-items that share a tile
#define PARTS_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#include "common/store.cl"

// One work-item of a group calls arrive(). It counts an arrival in a word, and returns how many came before.
// The order is FENCE, a barrier of the group, arrive(), a barrier, FENCE. Then what the group's work-items
// have stored before is visible to all that arrive later, on the whole device.
#if defined(__NV_CL_C_VERSION) && NVIDIA_SM >= 70
// The PTX memory model lets one work-item release and acquire for its work-group, because the barriers order
// the others around it. If each work-item has fences of its own, as below, 212 x 412 x 1568 in 8 parts takes
// direct.cl 16.0 us instead of 15.4 (H200, November 2026).
#define FENCE
static inline uint arrive(__global uint* word) {
  uint before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
  return before;
}
#else
#if defined(__NV_CL_C_VERSION)
#define FENCE asm volatile("membar.gl;" ::: "memory")
#else
// OpenCL C 1.2 promises no more. `adds_parts` excludes other devices.
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
static inline uint arrive(__global uint* word) {
  return atomic_inc(word);
}
#endif

// The slices along k. Each part has `depth` depths; the last one has the rest. Dimension 2 of the launch
// counts the parts.
typedef struct {
  int depth, count;
  __global float* results;  // of part 0
  ulong ld, stride;
  __global uint* arrivals;  // a word for each tile of C; zero before and after the launch
} Parts;

static inline Parts parts_of(const int k, const int depth, __global float* results, const ulong offset,
                             const ulong ld, const ulong stride, __global uint* arrivals) {
  const Parts parts = {depth, (k + depth - 1) / depth, results + offset, ld, stride, arrivals};
  return parts;
}

// Returns the scratch for this work-group's result.
static inline __global float* result_of_part(const Parts* parts) {
  return parts->results + get_global_id(2) * parts->stride;
}

// Returns true if this work-group is the last one of its tile; then the results of all parts are stored.
// `word` is in local memory.
static inline bool is_last_part(const Parts* parts, const size_t tile, __local uint* word) {
  FENCE;
  PARTS_BARRIER;
  if (get_local_id(0) == 0) {
    *word = arrive(parts->arrivals + tile) + 1 == parts->count;
    if (*word) parts->arrivals[tile] = 0;
  }
  PARTS_BARRIER;
  FENCE;
  return *word;
}

// Returns four neighbours of a row of C, and zeros for those outside m x n.
static inline float4 load4_c(const __global float* c, const ulong ldc, const int m, const int n,
                             const int row, const int column) {
  float4 four = (float4)(0.0f);
  if (row >= m) return four;
  const __global float* from = c + row * ldc + column;
  if (column + 3 < n && (size_t)from % 16 == 0) return *(const __global float4*)from;
  if (column < n) four.x = from[0];
  if (column + 1 < n) four.y = from[1];
  if (column + 2 < n) four.z = from[2];
  if (column + 3 < n) four.w = from[3];
  return four;
}

// Adds up the parts of a tile and stores them in C. `items` work-items do it, each for four neighbours of a
// row. Each work-item keeps PLACES_TOGETHER loads in flight. One load after the other takes 2 us for each
// part of a tile of 64 x 128 (H200, November 2026). If there is a beta, C is loaded before the parts for the
// same reason: no load of C can pass a store to C. Plain loads are enough after is_last_part().
#define PLACES_TOGETHER 4
static inline void add_parts(const Parts* parts, const int items, const int rows, const int columns,
                             __global float* c, const ulong ldc, const int m, const int n,
                             const int first_row, const int first_column, const float alpha,
                             const float beta) {
  const int places = rows * columns / 4;
  // The compiler knows the result. All sizes are powers of two.
  const int together = min(PLACES_TOGETHER, (places + items - 1) / items);
  const int last_row = min(rows, m - first_row) - 1;
  for (int first = get_local_id(0); first < places; first += items * together) {
    __global const float4* from[PLACES_TOGETHER];
    float4 before[PLACES_TOGETHER];
    float4 sums[PLACES_TOGETHER];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int place = first + i * items;
      const int row = place / (columns / 4);
      const int column = first_column + place % (columns / 4) * 4;
      before[i] = beta == 0.0f ? (float4)(0.0f) : load4_c(c, ldc, m, n, first_row + row, column);
      // Clamped, so that every load is inside.
      from[i] = (__global const float4*)(parts->results + (first_row + min(row, last_row)) * parts->ld +
                                         min(column, (n - 1) / 4 * 4));
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
      const float4 scaled = alpha * sums[i];
      const float4 sum = beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), before[i], scaled);
      store4_c(c, ldc, m, n, first_row + place / (columns / 4), first_column + place % (columns / 4) * 4,
               1.0f, sum, 0.0f);
    }
  }
}
