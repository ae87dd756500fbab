// Stores a tile from local memory to C, so that neighbours store neighbours: four at a time if C's rows lie
// at multiples of 16 bytes, otherwise two or one. If each work-item stored four columns of a row from its
// registers one by one, the stores would touch four times as many sectors of the cache.
#include "common/store.cl"

// The target of a tile: C from the tile's first element on, and the rows and columns from there to the end of
// C.
typedef struct {
  __global float* first;
  ulong ld;
  int rows, columns;
  float alpha, beta;
} Target;

// A tile in local memory. Its value is the sum of `copies` copies that lie `apart` floats from each other.
typedef struct {
  const __local float* sums;
  int rows, columns, stride, copies, apart;
} Tile;

// Brings a tile of C nearer while its products are added up, if there is a beta. 4001 x 4001 x 64 takes
// direct.cl 102 us this way, and 138 us if C is read only at the end (H200, November 2026). `items`
// work-items call it, and this one has the number `item`. All sizes are powers of two.
static inline void prefetch_tile_of_c_by(const Target target, const int rows, const int columns,
                                         const int item, const int items) {
#if defined(__NV_CL_C_VERSION)  // OpenCL's own prefetch() does nothing there
  if (target.beta == 0.0f) return;
  const int across = (columns + 31) / 32;  // cache lines of 128 bytes
  for (int line = item; line < rows * across; line += items) {
    const int row = line / across;
    const int column = line % across * 32;
    if (row < target.rows && column < target.columns)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(target.first + row * target.ld + column));
  }
#endif
}

static inline void prefetch_tile_of_c(const Target target, const int rows, const int columns,
                                      const int items) {
  prefetch_tile_of_c_by(target, rows, columns, get_local_id(0), items);
}

// Returns the same address, but the compiler does not know that. So it computes the addresses for the stores
// again. Otherwise it would keep them since the loads, in two registers each.
static inline __global float* computed_again(__global float* pointer) {
#if defined(__NV_CL_C_VERSION)
  ulong address = (ulong)pointer;
  asm volatile("" : "+l"(address));
  return (__global float*)address;
#else
  return pointer;
#endif
}

// store_rows_of_1() and so on store WIDTH neighbours of each of `count` rows. C is read this many floats
// ahead, because a compiler cannot know that the rows do not overlap. More gain nothing: 4097 x 4097 x 4097
// with a beta takes fp16x3_wgmma 787 us with 16, and 798 us with 32 (H200, 24 November 2026).
#define FLOATS_AHEAD 16
#define DEFINE_STORE_ROWS(width, type)                                                                       \
  static inline type sum_of_##width(const Tile tile, const __local float* from) {                            \
    type sum = *(const __local type*)from;                                                                   \
    _Pragma("unroll") for (int copy = 1; copy < tile.copies; ++copy) sum +=                                  \
        *(const __local type*)(from + copy * tile.apart);                                                    \
    return sum;                                                                                              \
  }                                                                                                          \
  static inline void store_rows_of_##width(__global float* to, const ulong to_step, const Tile tile,         \
                                           const __local float* from, const int from_step, const int count,  \
                                           const float alpha, const float beta) {                            \
    if (beta == 0.0f) {                                                                                      \
      _Pragma("unroll 8") for (int row = 0; row < count; ++row) {                                            \
        *(__global type*)to = alpha * sum_of_##width(tile, from);                                            \
        to += to_step;                                                                                       \
        from += from_step;                                                                                   \
      }                                                                                                      \
      return;                                                                                                \
    }                                                                                                        \
    for (int first = 0; first < count; first += FLOATS_AHEAD / width) {                                      \
      const __global float* ahead = to;                                                                      \
      type before[FLOATS_AHEAD / width];                                                                     \
      _Pragma("unroll") for (int row = 0; row < FLOATS_AHEAD / width; ++row) {                               \
        before[row] = (type)(0.0f); /* otherwise its register would be kept between tiles */                 \
        if (first + row < count) before[row] = *(const __global type*)ahead;                                 \
        ahead += to_step;                                                                                    \
      }                                                                                                      \
      to = computed_again(to);                                                                               \
      _Pragma("unroll") for (int row = 0; row < FLOATS_AHEAD / width; ++row) {                               \
        if (first + row < count)                                                                             \
          *(__global type*)to = MULTIPLY_ADD((type)(beta), before[row], alpha * sum_of_##width(tile, from)); \
        to += to_step;                                                                                       \
        from += from_step;                                                                                   \
      }                                                                                                      \
    }                                                                                                        \
  }

DEFINE_STORE_ROWS(1, float)
DEFINE_STORE_ROWS(2, float2)
DEFINE_STORE_ROWS(4, float4)

// Stores columns `first` to `end` of a tile, `width` at a time; the compiler knows the width. Each item stays
// in its columns, so no store in the loop checks for an edge. When all tiles at the right edge checked, 5470
// x 1129 x 44 took 25 % longer (H200, November 2026).
static inline void store_columns(const Target target, const Tile tile, const int item, const int items,
                                 const int width, const int first, const int end) {
  const int pieces = tile.columns / width;
  const int apart = items > pieces ? items / pieces : 1;
  const int first_row = items > pieces ? item / pieces : 0;
  const int count = (min(target.rows, tile.rows) - first_row + apart - 1) / apart;
  const ulong to_step = apart * target.ld;
  const int from_step = apart * tile.stride;
  for (int column = item % pieces * width; column < end; column += items * width) {
    if (column < first) continue;
    __global float* to = target.first + first_row * target.ld + column;
    const __local float* from = tile.sums + first_row * tile.stride + column;
    if (width == 4) {
      store_rows_of_4(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    } else if (width == 2) {
      store_rows_of_2(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    } else {
      store_rows_of_1(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    }
  }
}

// Stores a tile with `items` work-items; this one has the number `item`. `items` and the tile's columns are
// powers of two. A kernel that seldom stores anything defines SELDOM_STORES. It stores one float at a time,
// and its program is smaller.
static inline void store_tile_of_c(const Target target, const Tile tile, const int item, const int items) {
  const int columns = min(target.columns, tile.columns);
#if defined(SELDOM_STORES)
  store_columns(target, tile, item, items, 1, 0, columns);
#else
  const ulong places = target.ld * 4 | (ulong)target.first;
  const int together = places % 16 == 0 ? columns / 4 * 4 : places % 8 == 0 ? columns / 2 * 2 : 0;
  if (places % 16 == 0) {
    store_columns(target, tile, item, items, 4, 0, together);
  } else if (places % 8 == 0) {
    store_columns(target, tile, item, items, 2, 0, together);
  }
  if (together < columns) store_columns(target, tile, item, items, 1, together, columns);
#endif
}
