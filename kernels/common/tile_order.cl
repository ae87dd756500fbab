// Returns the tile of C that this work-group computes, for kernels with `grid: tiles`. Neighbouring
// work-groups run at the same time. So they go down a band of `band` tile rows before they step to the next
// column. The band's rows of A and a few columns of B then stay in the cache.
static inline int2 tile_position(const int tile_rows, const int tile_columns, const int band) {
  const int tile = get_group_id(0);
  const int first_row = tile / (band * tile_columns) * band;
  const int rows = min(tile_rows - first_row, band);
  const int place = tile % (band * tile_columns);
  return (int2)(first_row + place % rows, place / rows);
}
