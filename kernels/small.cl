// clgemm: small
// summary: batches of small matrices, MATRICES per work-group: BM x BN x BK of each at a time in local memory
// operands: in_place
// param: BM = 16 in 4 8 16 24 32 48 64
// param: BN = 16 in 4 8 16 24 32 48 64
// param: BK = 16 in 8 16 24 32 48 64
// param: TM = 4 in 4 8
// param: TN = 4 in 4 8
// param: MATRICES = 8 in 1 2 4 8 16 32
// tile: BM BN BK
// local: MATRICES*(BM/TM)*(BN/TN)
// grid: tiles
// batch: MATRICES
// align: 4
// results: TM*TN + BK*(BM+BN)*TM*TN/(BM*BN)
// into_local: MATRICES*(BM+BN)
// require: is_cpu == 0
// require: BM % TM == 0 && BN % TN == 0
// require: 4*MATRICES*((BM+4)*(BK+4)+(BN+4)*(BK+4)) <= local_bytes
// calibrate: BM BN BK MATRICES: 4 4 8 32, 4 4 16 16, 8 8 8 32, 8 8 8 16, 8 8 16 16, 8 16 16 8, 16 8 16 8
// calibrate: BM BN BK MATRICES: 16 16 8 8, 16 16 16 8, 8 32 16 4, 32 8 16 4, 16 32 16 4, 32 16 16 4
// calibrate: BM BN BK MATRICES: 24 24 16 4, 32 32 16 2, 32 32 32 1, 16 64 32 1, 64 16 32 1, 48 48 32 1
// calibrate: BM BN BK MATRICES: 32 64 32 1, 64 32 32 1, 64 64 32 1

// A few work-items read, multiply and write one small GEMM, and a work-group has several GEMMs. Memory limits
// the speed. op(A) and op(B) go to local memory in the order of the caller's memory, without a transpose.
// Each work-item takes 4 x 4 blocks of them to registers, whichever way they lie. CPUs do not use this
// kernel, for the reason given in `direct`.
//
// `calibrate` has a tile for each size of small matrices, with as many matrices as make about 128 work-items
// of 4 x 4. The smallest tiles also come with fewer matrices, for GPUs with 32 KiB of local memory.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B) || !defined(ALIGNED_A) || !defined(ALIGNED_B)
#error "operands: in_place needs TRANSPOSE_A, TRANSPOSE_B, ALIGNED_A and ALIGNED_B"
#endif
#include "common/arguments.cl"
#include "common/batch.cl"
#include "common/store.cl"
#include "common/sub_group.cl"

#define A_WIDTH (ALIGNED_A ? 4 : 1)  // elements that are moved at once: a piece
#define B_WIDTH (ALIGNED_B ? 4 : 1)
#define DOWN (BM / TM)  // work-items of a matrix
#define ACROSS (BN / TN)
#define MATRIX_ITEMS (DOWN * ACROSS)
#define ITEMS (MATRICES * MATRIX_ITEMS)

// A tile in local memory: lines as they lie in global memory. The padding spreads the lines over the banks.
#define A_LINES (TRANSPOSE_A ? BK : BM)
#define A_LENGTH (TRANSPOSE_A ? BM : BK)
#define B_LINES (TRANSPOSE_B ? BN : BK)
#define B_LENGTH (TRANSPOSE_B ? BK : BN)
#define PADDED(length) ((length) + 4)
#define A_SIZE (A_LINES * PADDED(A_LENGTH))
#define B_SIZE (B_LINES * PADDED(B_LENGTH))
#define TURNS(lines, length, width) ((MATRICES * (lines) * (length) / (width) + ITEMS - 1) / ITEMS)

// Rows and columns of a work-item. Those of neighbours lie beside each other, so that lines along k come from
// different banks. Groups of four that lie together in memory stay together.
#define ROW_OF(down, row) (TRANSPOSE_A ? ((row) / 4 * DOWN + (down)) * 4 + (row) % 4 : (row) * DOWN + (down))
#define COLUMN_OF(across, column) (((column) / 4 * ACROSS + (across)) * 4 + (column) % 4)

// Lines in the caller's memory, of the first matrix of a work-group and of `matrices` matrices from there on.
typedef struct {
  __global const float* elements;
  ulong ld, stride;
  __global const Product* products;  // null: the matrices lie `stride` apart
  bool is_b;
  int matrices, lines, length;
} Source;

// Loads a tile of each matrix into registers, from a line and a place in it on, with zeros past the end.
static inline void load_tiles(float4* pieces, const Source source, const int tile_lines,
                              const int tile_length, const int width, const int first_line,
                              const int first_place) {
  const int line_pieces = tile_length / width;
#pragma unroll
  for (int turn = 0; turn < TURNS(tile_lines, tile_length, width); ++turn) {
    const int piece = get_local_id(0) + turn * ITEMS;
    const int matrix = piece / (tile_lines * line_pieces);
    const int line = first_line + piece / line_pieces % tile_lines;
    const int place = first_place + piece % line_pieces * width;
    pieces[turn] = (float4)(0.0f);
    if (matrix >= min(source.matrices, MATRICES) || line >= source.lines || place >= source.length) continue;
    ulong begin = matrix * source.stride;
    if (source.products != 0) begin = source.is_b ? source.products[matrix].b : source.products[matrix].a;
    __global const float* elements = source.elements + begin + line * source.ld + place;
    if (width == 4) {
      pieces[turn] = *(__global const float4*)elements;
    } else {
      pieces[turn].x = *elements;
    }
  }
}

static inline void store_tiles(__local float* tiles, const float4* pieces, const int tile_lines,
                               const int tile_length, const int width) {
  const int line_pieces = tile_length / width;
#pragma unroll
  for (int turn = 0; turn < TURNS(tile_lines, tile_length, width); ++turn) {
    const int piece = get_local_id(0) + turn * ITEMS;
    if (MATRICES * tile_lines * line_pieces % ITEMS != 0 && piece >= MATRICES * tile_lines * line_pieces)
      continue;
    __local float* place = tiles + piece / line_pieces * PADDED(tile_length) + piece % line_pieces * width;
    if (width == 4) {
      *(__local float4*)place = pieces[turn];
    } else {
      *place = pieces[turn].x;
    }
  }
}

static inline void load_four(float* to, const __local float* from) {
  const float4 four = *(const __local float4*)from;
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

static inline void load_a(float values[TM][4], const __local float* tile, const int down, const int depth) {
#pragma unroll
  for (int row = 0; row < TM; ++row) {
    if (!TRANSPOSE_A) load_four(values[row], tile + ROW_OF(down, row) * PADDED(A_LENGTH) + depth);
  }
#pragma unroll
  for (int row = 0; TRANSPOSE_A && row < TM; row += 4) {
#pragma unroll
    for (int next = 0; next < 4; ++next) {
      float four[4];
      load_four(four, tile + (depth + next) * PADDED(A_LENGTH) + ROW_OF(down, row));
#pragma unroll
      for (int other = 0; other < 4; ++other) values[row + other][next] = four[other];
    }
  }
}

static inline void load_b(float values[4][TN], const __local float* tile, const int across, const int depth) {
#pragma unroll
  for (int column = 0; column < TN; column += 4) {
#pragma unroll
    for (int next = 0; next < 4; ++next) {
      float four[4];
      load_four(four, TRANSPOSE_B ? tile + COLUMN_OF(across, column + next) * PADDED(B_LENGTH) + depth
                                  : tile + (depth + next) * PADDED(B_LENGTH) + COLUMN_OF(across, column));
#pragma unroll
      for (int other = 0; other < 4; ++other) {
        values[TRANSPOSE_B ? other : next][column + (TRANSPOSE_B ? next : other)] = four[other];
      }
    }
  }
}

// Adds the products of four steps along k.
static inline void multiply_four(float sums[TM][TN], const __local float* a_tile, const __local float* b_tile,
                                 const int down, const int across, const int depth) {
  float a_values[TM][4];
  float b_values[4][TN];
  load_a(a_values, a_tile, down, depth);
  load_b(b_values, b_tile, across, depth);
#pragma unroll
  for (int next = 0; next < 4; ++next) {
#pragma unroll
    for (int row = 0; row < TM; ++row) {
#pragma unroll
      for (int column = 0; column < TN; ++column) {
        sums[row][column] = MULTIPLY_ADD(a_values[row][next], b_values[next][column], sums[row][column]);
      }
    }
  }
}

__kernel SUB_GROUP __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, BATCH_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 a_memory[MATRICES * A_SIZE / 4];
  __local float4 b_memory[MATRICES * B_SIZE / 4];
  __local float* a_tiles = (__local float*)a_memory;
  __local float* b_tiles = (__local float*)b_memory;
  const int tiles_across = (n + BN - 1) / BN;
  const int first_row = get_group_id(0) / tiles_across * BM;
  const int first_column = get_group_id(0) % tiles_across * BN;
  const int matrix = get_local_id(0) / MATRIX_ITEMS;
  const int down = get_local_id(0) % MATRIX_ITEMS / ACROSS;
  const int across = get_local_id(0) % ACROSS;

  const int first = get_group_id(2) * MATRICES;
  const ulong by_stride = products != 0 ? 0 : first;
  const Source from_a = {a + a_offset + by_stride * a_stride,
                         lda,
                         a_stride,
                         products != 0 ? products + first : 0,
                         false,
                         batch_count - first,
                         TRANSPOSE_A ? k : m,
                         TRANSPOSE_A ? m : k};
  const Source from_b = {b + b_offset + by_stride * b_stride,
                         ldb,
                         b_stride,
                         products != 0 ? products + first : 0,
                         true,
                         batch_count - first,
                         TRANSPOSE_B ? n : k,
                         TRANSPOSE_B ? k : n};

  float sums[TM][TN];
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; ++column) sums[row][column] = 0.0f;
  }
  for (int start = 0; start < k; start += BK) {
    float4 a_next[TURNS(A_LINES, A_LENGTH, A_WIDTH)];
    float4 b_next[TURNS(B_LINES, B_LENGTH, B_WIDTH)];
    load_tiles(a_next, from_a, A_LINES, A_LENGTH, A_WIDTH, TRANSPOSE_A ? start : first_row,
               TRANSPOSE_A ? first_row : start);
    load_tiles(b_next, from_b, B_LINES, B_LENGTH, B_WIDTH, TRANSPOSE_B ? first_column : start,
               TRANSPOSE_B ? start : first_column);
    if (start != 0) barrier(CLK_LOCAL_MEM_FENCE);
    store_tiles(a_tiles, a_next, A_LINES, A_LENGTH, A_WIDTH);
    store_tiles(b_tiles, b_next, B_LINES, B_LENGTH, B_WIDTH);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int depths = min(k - start, BK);
#pragma unroll 1
    for (int depth = 0; depth < depths; depth += 4) {
      multiply_four(sums, a_tiles + matrix * A_SIZE, b_tiles + matrix * B_SIZE, down, across, depth);
    }
  }

  if (first + matrix >= batch_count) return;
  const Product product = product_of(products, first + matrix, a_stride, b_stride, c_stride, alpha, beta);
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; column += 4) {
      store4_c(
          c + c_offset + product.c, ldc, m, n, first_row + ROW_OF(down, row),
          first_column + COLUMN_OF(across, column), product.alpha,
          (float4)(sums[row][column], sums[row][column + 1], sums[row][column + 2], sums[row][column + 3]),
          product.beta);
    }
  }
}
