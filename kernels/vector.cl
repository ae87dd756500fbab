// clgemm: vector
// summary: TS x TS tiles moved and multiplied as float4 or float8, WIDTH neighbours of C per work-item
// operands: padded
// param: TS = 32 in 16 32 64
// param: WIDTH = 4 in 4 8
// variant: float4 WIDTH=4
// variant: float8 WIDTH=8
// tile: TS TS TS
// local: TS/WIDTH TS
// grid: columns rows
// align: WIDTH
// into_local: 2*TS
// require: TS % WIDTH == 0
// require: 4*2*TS*TS <= local_bytes

// Kernels 4 and 5 of the CLBlast author's OpenCL SGEMM tutorial, "wider data-types". `align` promises that
// rows and offsets are multiples of WIDTH elements, so that a vector can be read through its pointer.
#if !defined(TS) || !defined(WIDTH)
#error "vector needs TS and WIDTH"
#endif
#include "common/arguments.cl"
#include "common/store.cl"
#include "common/vector.cl"

#define STORE_VECTOR JOIN(vstore, WIDTH)

__kernel __attribute__((reqd_work_group_size(TS / WIDTH, TS, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local vector_t a_tile[TS][TS / WIDTH];
  __local vector_t b_tile[TS][TS / WIDTH];
  const int item_vector = get_local_id(0);
  const int item_row = get_local_id(1);
  const int first_column = get_global_id(0) * WIDTH;
  const int row = get_global_id(1);
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride + row * lda + item_vector * WIDTH;
  b += b_offset + batch * b_stride + item_row * ldb + first_column;
  c += c_offset + batch * c_stride;

  const __local float* a_row = (const __local float*)a_tile[item_row];
  vector_t sum = (vector_t)(0.0f);
  for (int tile_start = 0; tile_start < k; tile_start += TS) {
    a_tile[item_row][item_vector] = *(__global const vector_t*)(a + tile_start);
    b_tile[item_row][item_vector] = *(__global const vector_t*)(b + tile_start * ldb);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int depth = 0; depth < TS; ++depth) {
      sum = MULTIPLY_ADD((vector_t)(a_row[depth]), b_tile[depth][item_vector], sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float sums[WIDTH];
  STORE_VECTOR(sum, 0, sums);
  for (int w = 0; w < WIDTH; ++w) {
    store_c(c, ldc, m, n, row, first_column + w, alpha, sums[w], beta);
  }
}
