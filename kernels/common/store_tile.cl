// Stores a tile from local memory to C, so that neighbours store neighbours: four at a time if C's rows lie
// at multiples of 16 bytes, otherwise mostly two or one. If each work-item stored four columns of a row from
// its registers one by one, the stores would touch four times as many sectors of the cache.
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

// Returns how many floats a row's first element lies behind a multiple of 16 bytes. This is the row's shift.
static inline int row_shift(const __global float* row) {
  return (int)((ulong)row / 4 % 4);
}

// Returns four floats of a row of the tile, those that begin `shift` floats before `from`.
static inline float4 shifted_sum_of_4(const Tile tile, const __local float* from, const int shift) {
  const float4 left = sum_of_4(tile, from - 4);
  const float4 right = sum_of_4(tile, from);
  const float before = shift & 2 ? left.y : left.w;
  const float4 even = shift & 2 ? (float4)(left.zw, right.xy) : right;
  return shift & 1 ? (float4)(before, even.xyz) : even;
}

// Stores the pieces of shifted rows that lie at multiples of 16 bytes, if beta is 0. A row's pieces begin as
// many floats further left as its shift says, and the first one is left out.
static inline void store_shifted_pieces(const Target target, const Tile tile, const int item,
                                        const int items) {
  const int pieces = tile.columns / 4;
  const int apart = items > pieces ? items / pieces : 1;
  const int first_row = items > pieces ? item / pieces : 0;
  const int count = (min(target.rows, tile.rows) - first_row + apart - 1) / apart;
  for (int piece = item % pieces; piece < pieces; piece += items) {
    const int behind = min(target.columns, tile.columns) - 4 * piece - 4;  // columns after it without a shift
    if (piece == 0 || behind < -3) continue;
    __global float* to = computed_again(target.first + first_row * target.ld + 4 * piece);
    const __local float* from = tile.sums + first_row * tile.stride + 4 * piece;
#pragma unroll 4
    for (int row = 0; row < count; ++row) {
      const int shift = row_shift(to);
      if (behind + shift >= 0)
        *(__global float4*)(to - shift) = target.alpha * shifted_sum_of_4(tile, from, shift);
      to += apart * target.ld;
      from += apart * tile.stride;
    }
  }
}

// Stores what store_shifted_pieces() has left out: 4 floats of a row if its length is a multiple of four,
// otherwise up to 7.
static inline void store_shifted_ends(const Target target, const Tile tile, const int item, const int items) {
  const int columns = min(target.columns, tile.columns);
  const int places = columns % 4 == 0 ? 4 : 8;  // for a row
  for (int end = item; end < min(target.rows, tile.rows) * places; end += items) {
    const int row = end / places;
    __global float* const to = target.first + row * target.ld;
    const int shift = row_shift(to);
    const int left = 4 - shift;  // floats before the first piece
    const int right = (columns + shift) / 4 * 4 - shift;
    const int place = end % places;
    const int column = place < left ? place : right + place - left;
    if (column < columns && (place < left || column >= left))
      to[column] = target.alpha * sum_of_1(tile, tile.sums + row * tile.stride + column);
  }
}

// Stores a tile with `items` work-items; this one has the number `item`. `items` and the tile's columns are
// powers of two. A kernel that seldom stores anything defines SELDOM_STORES. It stores one float at a time,
// and its program is smaller.
//
// Without a beta, items with MANY_FLOATS or more do not store float by float. Wherever C lies, they store
// pieces of 16 bytes, or of 8 bytes if all rows lie at multiples of 8. Float by float, 4096 x 4095 x 256 took
// fp16x3_wgmma 88.3 us instead of 82.7; 4096 x 4096 x 256 takes 77.3. Items with fewer floats take longer
// this way. With 32 floats each, 500 products of 100 x 301 x 64 took 90.3 us instead of 88.4 (H200, November
// 2026).
#define MANY_FLOATS 64
static inline void store_tile_of_c(const Target target, const Tile tile, const int item, const int items) {
  const int columns = min(target.columns, tile.columns);
#if defined(SELDOM_STORES)
  store_columns(target, tile, item, items, 1, 0, columns);
#else
  const ulong places = target.ld * 4 | (ulong)target.first;
  if (tile.rows * tile.columns >= MANY_FLOATS * items && target.beta == 0.0f) {
    if (places % 16 == 0 && columns % 4 == 0) {
      store_columns(target, tile, item, items, 4, 0, columns);
    } else if (places % 8 == 0 && columns % 2 == 0) {
      store_columns(target, tile, item, items, 2, 0, columns);
    } else {
      store_shifted_pieces(target, tile, item, items);
      store_shifted_ends(target, tile, item, items);
    }
    return;
  }
  const int together = places % 16 == 0 ? columns / 4 * 4 : places % 8 == 0 ? columns / 2 * 2 : 0;
  if (places % 16 == 0) {
    store_columns(target, tile, item, items, 4, 0, together);
  } else if (places % 8 == 0) {
    store_columns(target, tile, item, items, 2, 0, together);
  }
  if (together < columns) store_columns(target, tile, item, items, 1, together, columns);
#endif
}
