// From a tile in local memory to C, so that neighbours store neighbours: in fours where C's rows lie at multiples of 16 bytes, else in
// twos or singly. From registers, where a work-item has four columns of a row, stores of single floats take four times as many
// sectors of the cache.
#include "common/store.cl"

// Where a tile goes: C from the tile's first element on, and the rows and columns of C from there to its end.
typedef struct {
  __global float* first;
  ulong ld;
  int rows, columns;
  float alpha, beta;
} Target;

// A tile in local memory: so many `copies` of it, `apart` floats from each other, are added up.
typedef struct {
  const __local float* sums;
  int rows, columns, stride, copies, apart;
} Tile;

// Where C is added to, a tile of it comes nearer while the way along k is gone: 4001 x 4001 x 64 with a beta takes direct.cl 138 us on
// an H200 where all is read at the end, and 102 this way. By so many `items`; `columns` of the tile, as all sizes, a power of two.
static inline void prefetch_tile_of_c(const Target target, const int rows, const int columns, const int items) {
#if defined(__NV_CL_C_VERSION)  // OpenCL's own prefetch() does nothing there
  if (target.beta == 0.0f) return;
  const int across = (columns + 31) / 32;  // lines of the cache, of 128 bytes
  for (int line = get_local_id(0); line < rows * across; line += items) {
    const int row = line / across;
    const int column = line % across * 32;
    if (row < target.rows && column < target.columns)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(target.first + row * target.ld + column));
  }
#endif
}

// store_rows_of_1() and so on: WIDTH neighbours of each of `count` rows. What is added to is read ahead, for a compiler cannot know
// that rows are apart.
#define ROWS_AHEAD 4
#define DEFINE_STORE_ROWS(width, type)                                                                            \
  static inline type sum_of_##width(const Tile tile, const __local float* from) {                                 \
    type sum = *(const __local type*)from;                                                                        \
    _Pragma("unroll") for (int copy = 1; copy < tile.copies; ++copy) sum +=                                       \
        *(const __local type*)(from + copy * tile.apart);                                                         \
    return sum;                                                                                                   \
  }                                                                                                               \
  static inline void store_rows_of_##width(__global float* to, const ulong to_step, const Tile tile,              \
                                           const __local float* from, const int from_step, const int count,       \
                                           const float alpha, const float beta) {                                 \
    if (beta == 0.0f) {                                                                                           \
      _Pragma("unroll 8") for (int row = 0; row < count; ++row) {                                                 \
        *(__global type*)to = alpha * sum_of_##width(tile, from);                                                 \
        to += to_step;                                                                                            \
        from += from_step;                                                                                        \
      }                                                                                                           \
      return;                                                                                                     \
    }                                                                                                             \
    for (int first = 0; first < count; first += ROWS_AHEAD) {                                                     \
      type before[ROWS_AHEAD];                                                                                    \
      _Pragma("unroll") for (int row = 0; row < ROWS_AHEAD; ++row) {                                              \
        if (first + row < count) before[row] = *(const __global type*)(to + row * to_step);                       \
      }                                                                                                           \
      _Pragma("unroll") for (int row = 0; row < ROWS_AHEAD; ++row) {                                              \
        if (first + row < count) {                                                                                \
          const type sum = sum_of_##width(tile, from + row * from_step);                                          \
          *(__global type*)(to + row * to_step) = MULTIPLY_ADD((type)(beta), before[row], alpha * sum);           \
        }                                                                                                         \
      }                                                                                                           \
      to += ROWS_AHEAD * to_step;                                                                                 \
      from += ROWS_AHEAD * from_step;                                                                             \
    }                                                                                                             \
  }

DEFINE_STORE_ROWS(1, float)
DEFINE_STORE_ROWS(2, float2)
DEFINE_STORE_ROWS(4, float4)

// By so many `items`, a power of two as the tile's columns are; `width` is known to the compiler. Each item keeps to its columns, so
// that no store of the loop asks for an edge: where all tiles at the right edge did, 5470 x 1129 x 44 took 25 % longer on an H200.
static inline void store_columns(const Target target, const Tile tile, const int items, const int width) {
  const int pieces = tile.columns / width;
  const int apart = items > pieces ? items / pieces : 1;
  const int first_row = items > pieces ? (int)get_local_id(0) / pieces : 0;
  const int count = (min(target.rows, tile.rows) - first_row + apart - 1) / apart;
  const ulong to_step = apart * target.ld;
  const int from_step = apart * tile.stride;
  for (int piece = get_local_id(0) % pieces; piece < pieces; piece += items) {
    const int columns = min(target.columns - piece * width, width);
    __global float* to = target.first + first_row * target.ld + piece * width;
    const __local float* from = tile.sums + first_row * tile.stride + piece * width;
    if (columns < width) {
      for (int i = 0; i < columns; ++i)
        store_rows_of_1(to + i, to_step, tile, from + i, from_step, count, target.alpha, target.beta);
    } else if (width == 4) {
      store_rows_of_4(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    } else if (width == 2) {
      store_rows_of_2(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    } else {
      store_rows_of_1(to, to_step, tile, from, from_step, count, target.alpha, target.beta);
    }
  }
}

static inline void store_tile_of_c(const Target target, const Tile tile, const int items) {
  const ulong places = target.ld * 4 | (ulong)target.first;
  if (places % 16 == 0) {
    store_columns(target, tile, items, 4);
  } else if (places % 8 == 0) {
    store_columns(target, tile, items, 2);
  } else {
    store_columns(target, tile, items, 1);
  }
}
