// clgemm: small
// summary: a batch of small matrices, MATRICES of them a work-group: BM x BN x BK of each at a time in local memory
// operands: in_place
// param: BM = 16 in 4 8 16 24 32 48 64 96 128
// param: BN = 16 in 4 8 16 24 32 48 64 96 128
// param: BK = 16 in 8 16 24 32 48 64
// param: TM = 4 in 4 8
// param: TN = 4 in 4 8
// param: MATRICES = 8 in 1 2 4 8 16 32
// tile: BM BN BK
// local: MATRICES*(BM/TM)*(BN/TN)
// grid: tiles
// batch: MATRICES
// align: 4
// require: is_cpu == 0
// require: BM % TM == 0 && BN % TN == 0
// require: 4*MATRICES*((BM+4)*(BK+4)+(BN+4)*(BK+4)) <= local_bytes

// So small a multiply is read, multiplied and written by a few work-items, and a work-group has several: what bounds it is
// memory. op(A) and op(B) go to local memory as they lie, without a transpose, and each work-item takes 4 x 4 blocks of
// them to registers, whichever way they lie.
#if !defined(TRANSPOSE_A) || !defined(TRANSPOSE_B) || !defined(ALIGNED)
#error "operands: in_place needs TRANSPOSE_A, TRANSPOSE_B and ALIGNED"
#endif
#include "common/batch.cl"
#include "common/store.cl"

#define WIDTH (ALIGNED ? 4 : 1)
#define DOWN (BM / TM)  // work-items of a matrix
#define ACROSS (BN / TN)
#define MATRIX_ITEMS (DOWN * ACROSS)
#define ITEMS (MATRICES * MATRIX_ITEMS)

// A tile in local memory: lines as they lie in global memory. The pad spreads lines over the banks.
#define A_LINES (TRANSPOSE_A ? BK : BM)
#define A_LENGTH (TRANSPOSE_A ? BM : BK)
#define B_LINES (TRANSPOSE_B ? BN : BK)
#define B_LENGTH (TRANSPOSE_B ? BK : BN)
#define A_STRIDE (A_LENGTH + 4)
#define B_STRIDE (B_LENGTH + 4)
#define A_SIZE (A_LINES * A_STRIDE)
#define B_SIZE (B_LINES * B_STRIDE)
#define A_PIECES (A_LINES * A_LENGTH / WIDTH)  // that are moved at once
#define B_PIECES (B_LINES * B_LENGTH / WIDTH)
#define TURNS(pieces) ((MATRICES * (pieces) + ITEMS - 1) / ITEMS)

// Rows of a work-item: the neighbour's are beside them, so that lines along k come from different banks; fours together
// where they lie together.
#define ROW_OF(down, row) (TRANSPOSE_A ? ((row) / 4 * DOWN + (down)) * 4 + (row) % 4 : (row) * DOWN + (down))
#define COLUMN_OF(across, column) (((column) / 4 * ACROSS + (across)) * 4 + (column) % 4)

typedef struct {
  int line, at, matrix;
} Piece;

static inline Piece piece_of(const int index, const int lines, const int length) {
  const int pieces = lines * length / WIDTH;
  const Piece piece = {index % pieces / (length / WIDTH), index % (length / WIDTH) * WIDTH, index / pieces};
  return piece;
}

static inline float4 load_piece(__global const float* place, const bool inside) {
  if (!inside) return (float4)(0.0f);
  return WIDTH == 4 ? *(__global const float4*)place : (float4)(*place, 0.0f, 0.0f, 0.0f);
}

static inline void store_piece(__local float* place, const float4 piece) {
  if (WIDTH == 4) {
    *(__local float4*)place = piece;
  } else {
    *place = piece.x;
  }
}

static inline void load_four(float* to, const __local float* from) {
  const float4 four = *(const __local float4*)from;
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride,
          const int batch_count, __global const Product* restrict products) {
  __local float4 a_memory[MATRICES * A_SIZE / 4];
  __local float4 b_memory[MATRICES * B_SIZE / 4];
  __local float* a_tiles = (__local float*)a_memory;
  __local float* b_tiles = (__local float*)b_memory;
  const int item = get_local_id(0);
  const int first = get_group_id(2) * MATRICES;
  const int tiles_across = (n + BN - 1) / BN;
  const int first_row = get_group_id(0) / tiles_across * BM;
  const int first_column = get_group_id(0) % tiles_across * BN;
  a += a_offset;
  b += b_offset;

  const int matrix = item / MATRIX_ITEMS;
  const int down = item % MATRIX_ITEMS / ACROSS;
  const int across = item % ACROSS;
  const __local float* a_tile = a_tiles + matrix * A_SIZE;
  const __local float* b_tile = b_tiles + matrix * B_SIZE;

  float sums[TM][TN];
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; ++column) sums[row][column] = 0.0f;
  }

  for (int start = 0; start < k; start += BK) {
    float4 a_next[TURNS(A_PIECES)];
    float4 b_next[TURNS(B_PIECES)];
#pragma unroll
    for (int turn = 0; turn < TURNS(A_PIECES); ++turn) {
      const int index = item + turn * ITEMS;
      const Piece piece = piece_of(index, A_LINES, A_LENGTH);
      const int row = first_row + (TRANSPOSE_A ? piece.at : piece.line);
      const int depth = start + (TRANSPOSE_A ? piece.line : piece.at);
      const int i = first + piece.matrix;
      const bool inside = row < m && depth < k && i < batch_count &&
                          (MATRICES * A_PIECES % ITEMS == 0 || index < MATRICES * A_PIECES);
      const ulong place = products != 0 ? (inside ? products[i].a : 0) : i * a_stride;
      a_next[turn] = load_piece(a + place + (TRANSPOSE_A ? depth * lda + row : row * lda + depth), inside);
    }
#pragma unroll
    for (int turn = 0; turn < TURNS(B_PIECES); ++turn) {
      const int index = item + turn * ITEMS;
      const Piece piece = piece_of(index, B_LINES, B_LENGTH);
      const int column = first_column + (TRANSPOSE_B ? piece.line : piece.at);
      const int depth = start + (TRANSPOSE_B ? piece.at : piece.line);
      const int i = first + piece.matrix;
      const bool inside = column < n && depth < k && i < batch_count &&
                          (MATRICES * B_PIECES % ITEMS == 0 || index < MATRICES * B_PIECES);
      const ulong place = products != 0 ? (inside ? products[i].b : 0) : i * b_stride;
      b_next[turn] = load_piece(b + place + (TRANSPOSE_B ? column * ldb + depth : depth * ldb + column), inside);
    }
    if (start != 0) barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int turn = 0; turn < TURNS(A_PIECES); ++turn) {
      const int index = item + turn * ITEMS;
      const Piece piece = piece_of(index, A_LINES, A_LENGTH);
      if (MATRICES * A_PIECES % ITEMS == 0 || index < MATRICES * A_PIECES)
        store_piece(a_tiles + piece.matrix * A_SIZE + piece.line * A_STRIDE + piece.at, a_next[turn]);
    }
#pragma unroll
    for (int turn = 0; turn < TURNS(B_PIECES); ++turn) {
      const int index = item + turn * ITEMS;
      const Piece piece = piece_of(index, B_LINES, B_LENGTH);
      if (MATRICES * B_PIECES % ITEMS == 0 || index < MATRICES * B_PIECES)
        store_piece(b_tiles + piece.matrix * B_SIZE + piece.line * B_STRIDE + piece.at, b_next[turn]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int depths = min(k - start, BK);
#pragma unroll 1
    for (int depth = 0; depth < depths; depth += 4) {
      float a_values[TM][4];
      float b_values[4][TN];
#pragma unroll
      for (int row = 0; row < TM; ++row) {
        if (!TRANSPOSE_A) load_four(a_values[row], a_tile + ROW_OF(down, row) * A_STRIDE + depth);
      }
#pragma unroll
      for (int row = 0; row < TM; row += 4) {
#pragma unroll
        for (int next = 0; TRANSPOSE_A && next < 4; ++next) {
          float four[4];
          load_four(four, a_tile + (depth + next) * A_STRIDE + ROW_OF(down, row));
#pragma unroll
          for (int other = 0; other < 4; ++other) a_values[row + other][next] = four[other];
        }
      }
#pragma unroll
      for (int column = 0; column < TN; column += 4) {
#pragma unroll
        for (int next = 0; next < 4; ++next) {
          float four[4];
          load_four(four, TRANSPOSE_B ? b_tile + COLUMN_OF(across, column + next) * B_STRIDE + depth
                                      : b_tile + (depth + next) * B_STRIDE + COLUMN_OF(across, column));
#pragma unroll
          for (int other = 0; other < 4; ++other) {
            if (TRANSPOSE_B) b_values[other][column + next] = four[other];
            else b_values[next][column + other] = four[other];
          }
        }
      }
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
  }

  if (first + matrix >= batch_count) return;
  const Product product = product_of(products, first + matrix, a_stride, b_stride, c_stride, alpha, beta);
  c += c_offset + product.c;
#pragma unroll
  for (int row = 0; row < TM; ++row) {
#pragma unroll
    for (int column = 0; column < TN; column += 4) {
      store4_c(c, ldc, m, n, first_row + ROW_OF(down, row), first_column + COLUMN_OF(across, column), product.alpha,
               (float4)(sums[row][column], sums[row][column + 1], sums[row][column + 2], sums[row][column + 3]),
               product.beta);
    }
  }
}
