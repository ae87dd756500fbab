// clgemm: panels
// summary: CPUs: one work-item per work-group, MR x NV vectors of C in registers, op(B) in packed panels
// operands: in_place
// param: WIDTH = 16 in 4 8 16
// param: MR = 6 in 4 5 6 7 9 11 13
// param: NV = 4 in 1 2 3 4
// param: KC = 256 in 32 64 128 256 384 512 768
// param: NC = 128 in 48 64 96 128 192 256 320 384 512 576 768 960
// tile: 4096 NC KC
// shares: MR WIDTH
// local: 1 1
// grid: columns rows
// batch: 1
// require: is_cpu
// require: NC % (NV*WIDTH) == 0
// require: 4*KC*(NC+16*MR+16*(8*MR%WIDTH!=0)) <= local_bytes
// vector: WIDTH
// keeps: 4*KC*NC
// panel_depth: KC
// rows_at_once: MR
// calibrate: WIDTH MR NV: 16 6 4, 16 13 2, 16 4 4, 8 6 2, 4 5 2; KC: 512; NC: 512, 256, 128
// calibrate: WIDTH MR NV: 16 6 4, 16 13 2, 16 4 4, 8 6 2, 4 5 2; KC: 256; NC: 384, 192, 128
// calibrate: WIDTH MR NV: 16 6 4, 16 13 2, 16 4 4, 8 6 2, 4 5 2; KC NC: 128 128, 64 64, 32 64
// calibrate: WIDTH MR NV: 16 7 3, 8 4 3, 4 4 3; KC: 512, 256; NC: 384, 192
// calibrate: WIDTH MR NV: 16 7 3, 8 4 3, 4 4 3; KC: 128; NC: 192, 96

// Blocks like BLIS and OpenBLAS ("Anatomy of High-Performance Matrix Multiplication", Goto and van de Geijn),
// for implementations that run a work-group on one core. A work-group computes its share of C. It copies up
// to KC rows of op(B) at a time into panels of NV vectors a row, which stay in the core's L2 cache. In the
// micro-kernel, every MR rows of op(A) then meet every panel. Local memory is the core's own memory here, and
// its contents survive from one work-group to the next.
//
// `calibrate` has blocks of C that fit the registers (32 with AVX-512; 16 with AVX2, SSE and NEON). There are
// several, because rows and columns of C may not be multiples of one block. It also has panels for caches of
// every size.
//
//            one panel: NR = NV * WIDTH columns
//            +------+------+----
//    op(B)   |      |      |         KC rows, packed
//            +------+------+----
//   op(A)
//   +----+   +------+
//   | MR |   | sums |                MR x NV vectors in registers
//   +----+   +------+
//     KC
//
// A is read in place, through one pointer for each row. If the leading dimension is a multiple of 4 KiB, the
// lines of all rows fall into one set of the L1 cache. That hardly slows down 11 rows, but 13 take a fifth
// longer (Zen 4), which the speed model knows. MR is not 8, because LLVM's vectoriser turns 8 pointers into a
// vector and gathers through it, at two thirds of the speed. A transposed A is copied
// (common/transposed_a.cl).
#if !defined(WIDTH) || !defined(MR) || !defined(NV) || !defined(KC) || !defined(NC)
#error "panels needs WIDTH, MR, NV, KC and NC"
#endif
#include "common/arguments.cl"
#include "common/batch.cl"
#include "common/in_place.cl"
#include "common/prefetch.cl"
#include "common/share.cl"
#include "common/store.cl"
#include "common/vector.cl"
#include "common/unaligned.cl"
#include "common/transposed_a.cl"

#define NR (NV * WIDTH)
#define LINE 16       // elements of a cache line
#define ROWS_AHEAD 8  // rows of op(B) that are brought nearer while it is packed
// The same, down the columns of a transposed B. 4, 8 and 16 lines were tried (Zen 4).
#define DEPTHS_AHEAD (4 * LINE)

#if TRANSPOSE_A
#define A_SPACE __local
#define A_ELEMENT(rows, r, depth) ((rows)[0][(depth) * BLOCK_STEP + (r)])
#else
#define A_SPACE __global
#define A_ELEMENT(rows, r, depth) ((rows)[r][depth])
#endif

// Functions that the kernel calls are not inlined, because PoCL makes three copies of a kernel and would
// compile each of them. Their pointers are not the address of local memory itself. They point into it, and
// are known only at run time. A constant address would be put into the function, and PoCL (3.1) no longer
// replaces it there by the thread's address.

// Computes the sums of MR rows of op(A) and one panel of op(B), with `vectors` vectors in use. After inlining
// that is a constant. The loops still run to NV, because only bounds that are constant before inlining are
// unrolled, and only sums in unrolled loops become registers. Meanwhile the function copies the vectors of
// `copying`, one every few steps.
__attribute__((always_inline))
static inline void multiply_panel(const int vectors, A_SPACE const float* const* rows,
                                  Copying copying, __local const float* restrict panel, const int depth_count,
                                  vector_t* result) {
  vector_t sums[MR][NV];
  #pragma unroll
  for (int r = 0; r < MR; ++r) {
    #pragma unroll
    for (int v = 0; v < NV; ++v) sums[r][v] = (vector_t)(0.0f);
  }
  // Without a transposed A there is one turn, and the compiler sees it.
  const int every = TRANSPOSE_A ? copying.every : depth_count;
  for (int start = 0; start < depth_count; start += every) {
    if (TRANSPOSE_A && start < copying.end) copy_vector(&copying);
    const int end = min(start + every, depth_count);
    for (int depth = start; depth < end; ++depth) {
      vector_t b[NV];
      #pragma unroll
      for (int v = 0; v < NV; ++v) {
        if (v < vectors) b[v] = *(__local const vector_t*)(panel + depth * NR + v * WIDTH);
      }
      #pragma unroll
      for (int r = 0; r < MR; ++r) {
        const vector_t a = (vector_t)(A_ELEMENT(rows, r, depth));
        #pragma unroll
        for (int v = 0; v < NV; ++v) {
          if (v < vectors) sums[r][v] = MULTIPLY_ADD(a, b[v], sums[r][v]);
        }
      }
    }
  }
  #pragma unroll
  for (int r = 0; r < MR; ++r) {
    #pragma unroll
    for (int v = 0; v < NV; ++v) {
      if (v < vectors) result[r * NV + v] = sums[r][v];
    }
  }
}

#if TRANSPOSE_B
// Transposes WIDTH vectors: row i becomes column i. Each step rotates the bits of an element's index by one,
// row bits before column bits. After as many steps as a row has bits, row and column have changed places.
__attribute__((always_inline))
static inline void transpose(vector_t* block) {
  #pragma unroll
  for (int step = 1; step < WIDTH; step *= 2) {
    vector_t before[WIDTH];
    #pragma unroll
    for (int i = 0; i < WIDTH; ++i) before[i] = block[i];
    #pragma unroll
    for (int i = 0; i < WIDTH / 2; ++i) {
      block[2 * i].even = before[i].lo;
      block[2 * i].odd = before[i + WIDTH / 2].lo;
      block[2 * i + 1].even = before[i].hi;
      block[2 * i + 1].odd = before[i + WIDTH / 2].hi;
    }
  }
}

// Copies `depth_count` rows of up to NR columns of op(B) into a panel; the elements of a column lie together.
// A block of columns and depths is transposed in registers. One element at a time, 137 x 4066 x 468 took 1.5
// to 1.8 times as long (Zen 4). The rest of the last vector is filled with copies of the last column.
__attribute__((noinline))
static void pack_panel(__local float* restrict panel, __global const float* restrict b, const ulong ldb,
                       const int column_count, const int depth_count) {
  for (int column = 0; column < column_count; column += WIDTH) {
    __global const float* columns[WIDTH];
    for (int i = 0; i < WIDTH; ++i) columns[i] = b + min(column + i, column_count - 1) * ldb;
    if (depth_count < WIDTH) {
      for (int depth = 0; depth < depth_count; ++depth) {
        for (int i = 0; i < WIDTH; ++i) panel[depth * NR + column + i] = columns[i][depth];
      }
      continue;
    }
    for (int next = 0; next < depth_count; next += WIDTH) {
      const int depth = min(next, depth_count - WIDTH);  // the last depths may be copied twice
      // Further down these columns, or at the top of the next columns.
      const int ahead = next + DEPTHS_AHEAD;
      const ulong nearer = ahead < depth_count ? ahead : WIDTH * ldb + (ahead - depth_count);
      vector_t block[WIDTH];
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) {
        block[i] = LOAD_VECTOR(columns[i] + depth);
        PREFETCH(columns[i] + nearer);
      }
      transpose(block);
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) *(__local vector_t*)(panel + (depth + i) * NR + column) = block[i];
    }
  }
}
#else
// Copies `depth_count` rows of up to NR columns of op(B) into a panel. The rest of the last vector is filled
// with zeros.
__attribute__((noinline))
static void pack_panel(__local float* restrict panel, __global const float* restrict b, const ulong ldb,
                       const int column_count, const int depth_count) {
  const int whole = column_count / WIDTH * WIDTH;
  for (int depth = 0; depth < depth_count; ++depth) {
    __global const float* row = b + depth * ldb;
    for (int column = 0; column < column_count; column += LINE) PREFETCH(row + ROWS_AHEAD * ldb + column);
    for (int column = 0; column < whole; column += WIDTH) {
      *(__local vector_t*)(panel + depth * NR + column) = LOAD_VECTOR(row + column);
    }
    if (whole == column_count) continue;
    *(__local vector_t*)(panel + depth * NR + whole) = (vector_t)(0.0f);
    int column = whole;
    for (; column + 4 <= column_count; column += 4) {
      *(__local float4*)(panel + depth * NR + column) = LOAD_FOUR(row + column);
    }
    for (; column < column_count; ++column) panel[depth * NR + column] = row[column];
  }
}
#endif

// Stores C <- alpha * sums + beta * C for a part of C. The sums come from memory, not from registers. So one
// piece of code serves whole and narrow tiles. It compiles in half the time, and costs less than 1 % of the
// GEMM.
static inline void store_sums(__global float* restrict c, const ulong ldc, const vector_t* sums,
                              const int rows, const int columns, const float alpha, const float beta) {
  for (int r = 0; r < rows; ++r) {
    int column = 0;
    for (; column + WIDTH <= columns; column += WIDTH) {
      __global float* place = c + r * ldc + column;
      const vector_t scaled = alpha * sums[r * NV + column / WIDTH];
      STORE_VECTOR(beta == 0.0f ? scaled : MULTIPLY_ADD((vector_t)(beta), LOAD_VECTOR(place), scaled), place);
    }
    for (; column + 4 <= columns; column += 4) {
      __global float* place = c + r * ldc + column;
      const float4 scaled = alpha * *(const float4*)((const float*)(sums + r * NV) + column);
      STORE_FOUR(beta == 0.0f ? scaled : MULTIPLY_ADD((float4)(beta), LOAD_FOUR(place), scaled), place);
    }
    for (; column < columns; ++column) {
      store_c(c, ldc, rows, columns, r, column, alpha, ((const float*)(sums + r * NV))[column], beta);
    }
  }
}

// Computes C <- alpha * op(A) * panel + beta * C for a tile of C, which has `row_count` x `column_count`
// elements.
__attribute__((noinline)) static void multiply_tile(
    A_SPACE const float* a, const ulong lda, const Copying copying, __local const float* restrict panel,
    const int depth_count, __global float* restrict c, const ulong ldc, const int row_count,
    const int column_count, const float alpha, const float beta) {
  for (int r = 0; r < row_count; ++r) {
    for (int column = 0; column < column_count; column += LINE) PREFETCH_TO_WRITE(c + r * ldc + column);
    PREFETCH_TO_WRITE(c + r * ldc + column_count - 1);
  }
  // Rows past the last one repeat the last one; their sums are not stored.
  A_SPACE const float* rows[MR];
  #pragma unroll
  for (int r = 0; r < MR; ++r) rows[r] = a + min(r, row_count - 1) * (TRANSPOSE_A ? 1 : lda);
  vector_t sums[MR * NV];
  if (column_count > NR - WIDTH) {
    multiply_panel(NV, rows, copying, panel, depth_count, sums);
  } else {
    // A single vector has too few sums to keep the multiply-adds busy.
    int v = 0;
    for (; NV > 2 && column_count > (v + 1) * WIDTH; v += 2) {
      multiply_panel(2, rows, copying, panel + v * WIDTH, depth_count, sums + v);
    }
    for (; v * WIDTH < column_count; ++v) {
      multiply_panel(1, rows, copying, panel + v * WIDTH, depth_count, sums + v);
    }
  }
  store_sums(c, ldc, sums, row_count, column_count, alpha, beta);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gemm(GEMM_ARGUMENTS, BATCH_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float b_panels[KC * (NC + TRANSPOSE_A * 2 * BLOCK_STEP)] __attribute__((aligned(64)));
  const int2 column_share = share_of(n, 0, WIDTH);
  const int2 row_share = share_of(m, 1, MR);
  const Product product = product_of(products, get_global_id(2), a_stride, b_stride, c_stride, alpha, beta);
  a += a_offset + product.a;
  b += b_offset + product.b;
  c += c_offset + product.c + row_share.x * ldc + column_share.x;

  // Splits k into as few parts as possible, and equal ones, because a short last part would read and write
  // all of C for little work.
  const int parts = (k - 1) / KC + 1;
  const int part = (k - 1) / parts + 1;
  for (int start = 0; start < k; start += part) {
    const int depth_count = min(k - start, part);
    const float block_beta = start == 0 ? product.beta : 1.0f;
    for (int column = 0; column < column_share.y; column += NR) {
      const int first = column_share.x + column;
      pack_panel(b_panels + column * KC, TRANSPOSE_B ? b + first * ldb + start : b + start * ldb + first, ldb,
                 min(column_share.y - column, NR), depth_count);
    }
#if TRANSPOSE_A
    Blocks blocks = blocks_of(a + start * lda + row_share.x, lda, row_share.y, depth_count,
                              b_panels + (column_share.y + NR - 1) / NR * NR * KC, column_share.y / NR);
#endif
    for (int row = 0; row < row_share.y; row += MR) {
#if TRANSPOSE_A
      A_SPACE const float* rows = rows_at(&blocks, row);
#else
      A_SPACE const float* rows = a + (row_share.x + row) * lda + start;
#endif
      for (int column = 0; column < column_share.y; column += NR) {
#if TRANSPOSE_A
        const Copying copying = next_copying(&blocks);
#else
        const Copying copying = no_copying(depth_count);
#endif
        multiply_tile(rows, lda, copying, b_panels + column * KC, depth_count, c + row * ldc + column, ldc,
                      min(row_share.y - row, MR), min(column_share.y - column, NR), product.alpha,
                      block_beta);
      }
    }
  }
}
