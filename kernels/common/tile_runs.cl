// Divides the tiles of C among the work-groups of a kernel with `persistent`, so that each has neighbours,
// and as many as the others or one less. They are in the order of rows. A run is tiles beside each other.

// The tiles that a work-group has left, by number.
typedef struct {
  int next, end;
} Tiles;

typedef struct {
  int row;
  int column, end;  // columns of tiles
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
static inline Run take_run(Tiles* tiles, const int tile_columns) {
  const int row = tiles->next / tile_columns;
  const int column = tiles->next % tile_columns;
  const Run run = {row, column, min(tile_columns, column + tiles->end - tiles->next)};
  tiles->next += run.end - run.column;
  return run;
}
