// clgemm: panels
// summary: CPUs: one work-item a work-group, MR x NV vectors of C in registers, op(B) in panels of NV vectors
// operands: direct
// param: WIDTH = 16 in 4 8 16
// param: MR = 9 in 4 5 6 7 9 11 13
// param: NV = 3 in 1 2 3 4
// param: KC = 256 in 64 128 256 384 512
// param: NC = 192 in 48 96 192 384 576 768 960
// tile: 4096 NC KC
// shares: MR WIDTH
// local: 1 1
// grid: columns rows
// require: is_cpu
// require: NC % (NV*WIDTH) == 0
// require: 4*(KC*(NC+4*MR)+64) <= local_bytes

// The blocking of BLIS and OpenBLAS ("Anatomy of High-Performance Matrix Multiplication", Goto and van de Geijn) for
// implementations that run a work-group on one core. A work-group computes its share of C. KC rows of op(B) at a time
// are copied into panels of NV vectors a row, which stay in the core's L2 cache; every MR rows of op(A) then meet every
// panel in the micro-kernel. Local memory is the core's own memory here, and kept from one work-group to the next.
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
// A is read in place through one pointer a row: the lines of MR rows fit the L1 cache even where the leading dimension
// is a power of two and all fall into the same sets. MR is 9 rather than 8, for LLVM's vectoriser turns 8 pointers into
// a vector and gathers through it, at two thirds of the speed. A transposed A is copied, for its rows lie lda apart.
#if !defined(WIDTH) || !defined(MR) || !defined(NV) || !defined(KC) || !defined(NC)
#error "panels needs WIDTH, MR, NV, KC and NC"
#endif
#include "common/direct.cl"
#include "common/share.cl"
#include "common/store.cl"
#include "common/vector.cl"
#include "common/unaligned.cl"

#define NR (NV * WIDTH)

#if TRANSPOSE_A
#define A_SPACE __local
#define ELEMENT_OF_ROWS(rows, r, depth) rows[0][depth * MR + r]
#else
#define A_SPACE __global
#define ELEMENT_OF_ROWS(rows, r, depth) rows[r][depth]
#endif

// Of a transposed A, the rows for some turns of the micro-kernel are copied at once: their elements of one depth lie
// together, and the next depth's may be a page further.
#if TRANSPOSE_A
#define TURNS 4
#define COPY 16                         // elements that are copied at once; those beyond MR are overwritten by the next
#define TURN_SIZE (KC * MR + COPY)

typedef float16 unaligned_copy_t __attribute__((aligned(4)));

static inline void pack_a(__local float* restrict packed, __global const float* restrict a, const ulong lda,
                          const int row_count, const int depth_count) {
  if (row_count >= (TURNS - 1) * MR + COPY) {
    for (int depth = 0; depth < depth_count; ++depth) {
      #pragma unroll
      for (int turn = 0; turn < TURNS; ++turn) {
        *(__local unaligned_copy_t*)(packed + turn * TURN_SIZE + depth * MR) =
            *(__global const unaligned_copy_t*)(a + depth * lda + turn * MR);
      }
    }
  } else {
    for (int depth = 0; depth < depth_count; ++depth) {
      for (int row = 0; row < min(row_count, TURNS * MR); ++row) {
        packed[row / MR * TURN_SIZE + depth * MR + row % MR] = a[depth * lda + row];
      }
    }
  }
}
#endif

// The sums of MR rows of op(A) and one panel of op(B), of which `vectors` are in use. That is a constant once the
// function is inlined. The loops still run to NV: only what is a constant before that is unrolled, and only sums that are
// in unrolled loops are registers.
__attribute__((always_inline))
static inline void multiply_panel(const int vectors, A_SPACE const float* const* rows,
                                  __local const float* restrict panel, const int depth_count, vector_t result[MR][NV]) {
  vector_t sums[MR][NV];
  #pragma unroll
  for (int r = 0; r < MR; ++r) {
    #pragma unroll
    for (int v = 0; v < NV; ++v) sums[r][v] = (vector_t)(0.0f);
  }
  for (int depth = 0; depth < depth_count; ++depth) {
    vector_t b[NV];
    #pragma unroll
    for (int v = 0; v < NV; ++v) {
      if (v < vectors) b[v] = *(__local const vector_t*)(panel + depth * NR + v * WIDTH);
    }
    #pragma unroll
    for (int r = 0; r < MR; ++r) {
      const vector_t a = (vector_t)(ELEMENT_OF_ROWS(rows, r, depth));
      #pragma unroll
      for (int v = 0; v < NV; ++v) {
        if (v < vectors) sums[r][v] = MULTIPLY_ADD(a, b[v], sums[r][v]);
      }
    }
  }
  #pragma unroll
  for (int r = 0; r < MR; ++r) {
    #pragma unroll
    for (int v = 0; v < NV; ++v) result[r][v] = sums[r][v];
  }
}

// C <- alpha * sums + beta * C for a part of C. Through memory rather than from registers: one piece of code for whole
// and for narrow tiles compiles in half the time, and costs less than 1 % of the multiplication.
static inline void store_sums(__global float* restrict c, const ulong ldc, const vector_t sums[MR][NV], const int rows,
                              const int columns, const float alpha, const float beta) {
  for (int r = 0; r < rows; ++r) {
    int column = 0;
    for (; column + WIDTH <= columns; column += WIDTH) {
      __global float* place = c + r * ldc + column;
      const vector_t scaled = alpha * sums[r][column / WIDTH];
      STORE_VECTOR(beta == 0.0f ? scaled : MULTIPLY_ADD((vector_t)(beta), LOAD_VECTOR(place), scaled), place);
    }
    for (; column < columns; ++column) {
      store_c(c, ldc, rows, columns, r, column, alpha, ((const float*)sums[r])[column], beta);
    }
  }
}

// Copies `depth_count` rows of `column_count` columns of op(B) into panels of KC x NR. The last one is filled with zeros
// to a whole vector.
static inline void pack_b(__local float* restrict panels, __global const float* restrict b, const ulong ldb,
                          const int column_count, const int depth_count) {
  const int last = column_count / NR * NR;
  __local float* last_panel = panels + last * KC;
  const int left = column_count - last;
#if TRANSPOSE_B
  int column = 0;
  for (; column + 4 <= column_count; column += 4) {
    __local float* packed = panels + column / NR * NR * KC + column % NR;
    __global const float* lines = b + column * ldb;
    for (int depth = 0; depth < depth_count; ++depth) {
      *(__local float4*)(packed + depth * NR) =
          (float4)(lines[depth], lines[ldb + depth], lines[2 * ldb + depth], lines[3 * ldb + depth]);
    }
  }
  for (; column < column_count; ++column) {
    __local float* packed = panels + column / NR * NR * KC + column % NR;
    for (int depth = 0; depth < depth_count; ++depth) packed[depth * NR] = b[column * ldb + depth];
  }
#else
  for (int depth = 0; depth < depth_count; ++depth) {
    __global const float* row = b + depth * ldb;
    for (int column = 0; column < last; column += NR) {
      #pragma unroll
      for (int v = 0; v < NV; ++v) {
        *(__local vector_t*)(panels + column * KC + depth * NR + v * WIDTH) = LOAD_VECTOR(row + column + v * WIDTH);
      }
    }
    for (int column = 0; column < left; ++column) last_panel[depth * NR + column] = row[last + column];
  }
#endif
  for (int column = left; column % WIDTH != 0; ++column) {
    for (int depth = 0; depth < depth_count; ++depth) last_panel[depth * NR + column] = 0.0f;
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  __local float b_panels[KC * NC] __attribute__((aligned(64)));
#if TRANSPOSE_A
  __local float a_rows[TURNS * TURN_SIZE] __attribute__((aligned(64)));
#endif
  const int2 column_share = share_of(n, 0, WIDTH);
  const int2 row_share = share_of(m, 1, MR);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride + row_share.x * ldc + column_share.x;

  for (int start = 0; start < k; start += KC) {
    const int depth_count = min(k - start, KC);
    const float block_beta = start == 0 ? beta : 1.0f;
    pack_b(b_panels, TRANSPOSE_B ? b + column_share.x * ldb + start : b + start * ldb + column_share.x, ldb,
           column_share.y, depth_count);
    for (int row = 0; row < row_share.y; row += MR) {
      const int row_count = row_share.y - row;
      A_SPACE const float* rows[MR];
#if TRANSPOSE_A
      if (row % (TURNS * MR) == 0) {
        const int first = row_share.x + row;
        pack_a(a_rows, a + start * lda + first, lda, m - first, depth_count);
      }
      rows[0] = a_rows + row / MR % TURNS * TURN_SIZE;
#else
      // Rows beyond the last are the last again; their sums are not stored.
      #pragma unroll
      for (int r = 0; r < MR; ++r) rows[r] = a + (row_share.x + row + min(r, row_count - 1)) * lda + start;
#endif
      for (int column = 0; column < column_share.y; column += NR) {
        const int column_count = min(column_share.y - column, NR);
        __local const float* panel = b_panels + column * KC;
        vector_t sums[MR][NV];
        if (NV >= 4 && column_count > 3 * WIDTH) {
          multiply_panel(4, rows, panel, depth_count, sums);
        } else if (NV >= 3 && column_count > 2 * WIDTH) {
          multiply_panel(3, rows, panel, depth_count, sums);
        } else if (NV >= 2 && column_count > WIDTH) {
          multiply_panel(2, rows, panel, depth_count, sums);
        } else {
          multiply_panel(1, rows, panel, depth_count, sums);
        }
        store_sums(c + row * ldc + column, ldc, sums, min(row_count, MR), column_count, alpha, block_beta);
      }
    }
  }
}
