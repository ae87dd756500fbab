// clgemm: scale
// role: scale
// summary: C <- beta * C, for alpha == 0 or k == 0
// param: ROWS = 4 in 1 4 8
// param: COLUMNS = 16 in 16 32 64
// tile: ROWS COLUMNS 1
// local: COLUMNS ROWS
// grid: columns rows

// If beta is 0, it stores zeros without reading C.
#if !defined(ROWS) || !defined(COLUMNS)
#error "scale needs ROWS and COLUMNS"
#endif
#include "common/arguments.cl"

__kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1)))
void scale(__global float* restrict c, const Numbers numbers) {
  UNPACK_NUMBERS;
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row < m && column < n) {
    c += c_offset + get_global_id(2) * c_stride;
    __global float* element = c + row * ldc + column;
    *element = beta == 0.0f ? 0.0f : beta * *element;
  }
}
