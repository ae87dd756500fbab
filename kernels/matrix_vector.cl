// clgemm: matrix_vector
// summary: CPUs: one work-item per work-group, rows of op(A) times a column of op(B), at the speed of memory
// operands: in_place
// most_columns: 1
// param: WIDTH = 4 in 4 8 16
// param: KC = 1024 in 1024 4096
// tile: 1024 1 KC
// shares: WIDTH 1
// local: 1 1
// grid: rows columns
// require: is_cpu
// require: 4*(KC+1024) <= local_bytes
// vector: WIDTH
// calibrate: WIDTH: 4, 8, 16; KC: 4096, 1024

// For n = 1, when every element of A is used once. It is fastest to read A in the order of its memory. If A
// is not transposed, that is a row at a time; each is multiplied with the vector and summed (dots). Otherwise
// it is a stored row of A, which is a column of op(A), times one element of the vector; it is added to all
// sums (axpys). The vector is read once into local memory, which is the core's cache, and has no gaps there.
#if !defined(WIDTH) || !defined(KC)
#error "matrix_vector needs WIDTH and KC"
#endif
#include "common/arguments.cl"
#include "common/in_place.cl"
#include "common/share.cl"
#include "common/store.cl"
#include "common/vector.cl"
#include "common/unaligned.cl"

#define LINES 4     // rows of A that are read side by side
#define ROWS 1024  // at most, in a share

static inline float sum_of(const vector_t sums) {
  const float* elements = (const float*)&sums;
  float result = 0.0f;
  for (int i = 0; i < WIDTH; ++i) result += elements[i];
  return result;
}

// Adds the products of `row_count` rows of A with `depth_count` elements of the vector to as many sums.
static inline void add_dots(__local float* restrict sums, __global const float* restrict a, const ulong lda,
                            __local const float* restrict vector, const int row_count,
                            const int depth_count) {
  const int whole = depth_count / WIDTH * WIDTH;
  for (int row = 0; row < row_count; row += LINES) {
    const int last = row_count - 1 - row;
    __global const float* line[LINES];
    vector_t line_sums[LINES];
    #pragma unroll
    for (int i = 0; i < LINES; ++i) {
      line[i] = a + (row + min(i, last)) * lda;
      line_sums[i] = (vector_t)(0.0f);
    }
    for (int depth = 0; depth < whole; depth += WIDTH) {
      const vector_t factors = *(__local const vector_t*)(vector + depth);
      #pragma unroll
      for (int i = 0; i < LINES; ++i) {
        line_sums[i] = MULTIPLY_ADD(LOAD_VECTOR(line[i] + depth), factors, line_sums[i]);
      }
    }
    for (int i = 0; i <= min(last, LINES - 1); ++i) {
      float sum = sums[row + i] + sum_of(line_sums[i]);
      for (int depth = whole; depth < depth_count; ++depth)
        sum = MULTIPLY_ADD(line[i][depth], vector[depth], sum);
      sums[row + i] = sum;
    }
  }
}

// Does the same for a transposed A, whose stored rows are columns here.
static inline void add_axpys(__local float* restrict sums, __global const float* restrict a, const ulong lda,
                             __local const float* restrict vector, const int row_count,
                             const int depth_count) {
  const int whole = row_count / WIDTH * WIDTH;
  int depth = 0;
  for (; depth + LINES <= depth_count; depth += LINES) {
    __global const float* lines = a + depth * lda;
    for (int row = 0; row < whole; row += WIDTH) {
      vector_t sum = *(__local const vector_t*)(sums + row);
      #pragma unroll
      for (int i = 0; i < LINES; ++i) {
        sum = MULTIPLY_ADD(LOAD_VECTOR(lines + i * lda + row), (vector_t)(vector[depth + i]), sum);
      }
      *(__local vector_t*)(sums + row) = sum;
    }
    for (int row = whole; row < row_count; ++row) {
      for (int i = 0; i < LINES; ++i)
        sums[row] = MULTIPLY_ADD(lines[i * lda + row], vector[depth + i], sums[row]);
    }
  }
  for (; depth < depth_count; ++depth) {
    for (int row = 0; row < row_count; ++row) {
      sums[row] = MULTIPLY_ADD(a[depth * lda + row], vector[depth], sums[row]);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float vector[KC] __attribute__((aligned(64)));
  __local float sums[ROWS] __attribute__((aligned(64)));
  const int2 rows = share_of(m, 0, WIDTH);
  const int column = get_group_id(1);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride;

  for (int row = 0; row < rows.y; ++row) sums[row] = 0.0f;
  for (int start = 0; start < k; start += KC) {
    const int depth_count = min(k - start, KC);
    for (int depth = 0; depth < depth_count; ++depth)
      vector[depth] = element_of_b(b, ldb, start + depth, column);
#if TRANSPOSE_A
    add_axpys(sums, a + start * lda + rows.x, lda, vector, rows.y, depth_count);
#else
    add_dots(sums, a + rows.x * lda + start, lda, vector, rows.y, depth_count);
#endif
  }
  for (int row = 0; row < rows.y; ++row) store_c(c, ldc, m, n, rows.x + row, column, alpha, sums[row], beta);
}
