// clgemm: pack_padded
// role: pack
// summary: the form `padded`: op(X) row-major, zero-padded to tile multiples
// param: TS = 16 in 8 16 32
// tile: TS TS 1
// local: TS TS
// grid: columns rows
// require: 4*TS*(TS+1) <= local_bytes

// A tile passes through local memory. So neighbouring work-items read neighbours of X and write neighbours of
// the packed copy, transposed or not. The extra column keeps the transposed writes in different banks.
#if !defined(TS) || !defined(TRANSPOSE)
#error "pack_padded needs TS and TRANSPOSE"
#endif

__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void pack(const int rows, const int columns,
          __global const float* restrict source, const ulong source_offset, const ulong source_ld,
          const ulong source_stride, const int packed_rows, const int packed_columns,
          __global float* restrict packed, const ulong packed_offset, const ulong packed_ld,
          const ulong packed_stride) {
  __local float tile[TS][TS + 1];
  const int x = get_local_id(0);
  const int y = get_local_id(1);
  const int tile_row = get_group_id(1) * TS;
  const int tile_column = get_group_id(0) * TS;
  source += source_offset + get_global_id(2) * source_stride;
  packed += packed_offset + get_global_id(2) * packed_stride;

  // The row and column of op(X) that this work-item reads. x runs along the rows of X in memory.
  const int row = tile_row + (TRANSPOSE ? x : y);
  const int column = tile_column + (TRANSPOSE ? y : x);
  const bool inside = row < rows && column < columns;
  const ulong source_index = TRANSPOSE ? column * source_ld + row : row * source_ld + column;
  tile[row - tile_row][column - tile_column] = inside ? source[source_index] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);

  if (tile_row + y < packed_rows && tile_column + x < packed_columns) {
    packed[(tile_row + y) * packed_ld + tile_column + x] = tile[y][x];
  }
}
