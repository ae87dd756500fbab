// From a tile in local memory to C, so that neighbours store neighbours: in fours where C's rows lie at
// multiples of 16 bytes, else in twos or singly. From registers, where a work-item has four columns of a row,
// stores of single floats take four times as many sectors of the cache.
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

// `sum` of what lies at a place of each copy.
#define ADD_COPIES(type, place)                                           \
  type sum = *(const __local type*)(place);                               \
  _Pragma("unroll") for (int copy = 1; copy < tile.copies; ++copy) sum += \
      *(const __local type*)((place) + copy * tile.apart)

// `width` neighbours of a row at once; beta == 0 is known to the compiler.
static inline void store_some(__global float* to, const Tile tile, const __local float* from, const int width,
                              const float alpha, const float beta) {
  if (width == 4) {
    ADD_COPIES(float4, from);
    *(__global float4*)to = alpha * sum;
  } else if (width == 2) {
    ADD_COPIES(float2, from);
    *(__global float2*)to = alpha * sum;
  } else {
    ADD_COPIES(float, from);
    *to = beta == 0.0f ? alpha * sum : MULTIPLY_ADD(beta, *to, alpha * sum);
  }
}

// By so many `items`, a power of two as the tile's columns are; `width` is known to the compiler. Each item
// keeps to its columns, so that no store of the loop asks for an edge: where all tiles at the right edge did,
// 5470 x 1129 x 44 took 25 % longer on an H200.
static inline void store_rows(const Target target, const Tile tile, const int items, const int width,
                              const float beta) {
  const int pieces = tile.columns / width;
  const int apart = items > pieces ? items / pieces : 1;
  const int rows = min(target.rows, tile.rows);
  const int first_row = items > pieces ? (int)get_local_id(0) / pieces : 0;
  for (int piece = get_local_id(0) % pieces; piece < pieces; piece += items) {
    const int columns = min(target.columns - piece * width, width);
    __global float* to = target.first + first_row * target.ld + piece * width;
    const __local float* from = tile.sums + first_row * tile.stride + piece * width;
    if (columns == width) {
#pragma unroll 8
      for (int row = first_row; row < rows; row += apart) {
        store_some(to, tile, from, width, target.alpha, beta);
        to += apart * target.ld;
        from += apart * tile.stride;
      }
    } else {
      for (int row = first_row; row < rows; row += apart) {
        for (int i = 0; i < columns; ++i) store_some(to + i, tile, from + i, 1, target.alpha, beta);
        to += apart * target.ld;
        from += apart * tile.stride;
      }
    }
  }
}

static inline void store_tile_of_c(const Target target, const Tile tile, const int items) {
  const ulong places = target.ld * 4 | (ulong)target.first;
  if (target.beta != 0.0f) {
    store_rows(target, tile, items, 1, target.beta);
  } else if (places % 16 == 0) {
    store_rows(target, tile, items, 4, 0.0f);
  } else if (places % 8 == 0) {
    store_rows(target, tile, items, 2, 0.0f);
  } else {
    store_rows(target, tile, items, 1, 0.0f);
  }
}
