// Divides the tiles of C among the work-groups of a kernel with `persistent`, so that each has neighbours,
// and as many as the others or one less. They are in the order of common/tile_order.cl. A run is tiles below
// each other, without a gap.
#include "common/tile_order.cl"

// The tiles that a work-group has left, by number.
typedef struct {
  int next, end;
} Tiles;

typedef struct {
  int row, end;  // in tiles
  int column;
} Run;

static inline Tiles tiles_of_group(const int tiles) {
  const int group = get_group_id(0);
  const int groups = get_num_groups(0);
  const int share = tiles / groups;
  const int larger = tiles % groups;  // so many work-groups have one tile more
  const int first = group * share + min(group, larger);
  const Tiles result = {first, first + share + (group < larger ? 1 : 0)};
  return result;
}

// Returns the next run of a work-group that has tiles left.
static inline Run take_run(Tiles* tiles, const int tile_rows, const int tile_columns, const int band) {
  const int2 first = position_of_tile(tiles->next, tile_rows, tile_columns, band);
  const int band_end = min(tile_rows, (first.x / band + 1) * band);
  const Run run = {first.x, min(band_end, first.x + tiles->end - tiles->next), first.y};
  tiles->next += run.end - run.row;
  return run;
}
