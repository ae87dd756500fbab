// Returns the position of a tile of C by its number, for kernels with `grid: tiles`. Neighbouring tiles are
// computed at the same time. So they go down a band of `band` tile rows before they step to the next column.
// The band's rows of A and a few columns of B then stay in the cache.
static inline int2 position_of_tile(const int tile, const int tile_rows, const int tile_columns,
                                    const int band) {
  const int first_row = tile / (band * tile_columns) * band;
  const int rows = min(tile_rows - first_row, band);
  const int place = tile % (band * tile_columns);
  return (int2)(first_row + place % rows, place / rows);
}

// Returns the position of the tile that has the number of this work-group.
static inline int2 tile_position(const int tile_rows, const int tile_columns, const int band) {
  return position_of_tile(get_group_id(0), tile_rows, tile_columns, band);
}
