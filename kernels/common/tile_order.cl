// For kernels with `grid: tiles`: the tile of C that this work-group computes. Neighbouring work-groups run together,
// so that they go down a band of `band` tile rows before they step to the next column: the band's rows of A and a few
// columns of B stay in the cache.
static inline int2 tile_position(const int tile_rows, const int tile_columns, const int band) {
  const int tile = get_group_id(0);
  const int first_row = tile / (band * tile_columns) * band;
  const int rows = min(tile_rows - first_row, band);
  const int place = tile % (band * tile_columns);
  return (int2)(first_row + place % rows, place / rows);
}
