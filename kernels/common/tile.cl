// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers: for kernels with
// `operands: direct`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move it,
// one element at a time, neighbours beside neighbours: that is fast wherever a row begins in memory. If k is no
// multiple of BK the first tile is the short one, and the others need no care.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif

// Elements of a tile that one work-item moves.
#define TILE_ELEMENTS(lines) (((lines) * BK + ITEMS - 1) / ITEMS)

// op(A) or op(B) from a work-group's first line on. `lines_together`: neighbours in memory are of neighbouring lines, not
// depths.
typedef struct {
  __global const float* elements;
  ulong line_step;
  ulong depth_step;
  bool lines_together;
  int last_line;
} Lines;

static inline Lines lines_from(__global const float* elements, const ulong ld, const bool lines_together,
                               const int first_line, const int line_count) {
  const ulong line_step = lines_together ? 1 : ld;
  const Lines lines = {elements + first_line * line_step, line_step, lines_together ? ld : 1, lines_together,
                       line_count - 1 - first_line};
  return lines;
}

// The depth of the first tile.
static inline int first_depth(const int k) {
  return (k - 1) % BK + 1;
}

// The line and the depth in the tile of an element. Where neighbours in memory are of neighbouring depths, 8 of them
// make a piece, a sector of most caches, and the next work-items have the next lines: so the writes to a transposed
// tile go to different banks.
static inline int line_of(const int element, const bool lines_together, const int lines) {
  return lines_together ? element % lines : element / 8 % lines;
}

static inline int depth_of(const int element, const bool lines_together, const int lines) {
  return lines_together ? element / lines : element / (8 * lines) * 8 + element % 8;
}

// Where a work-item's elements of the first tile are. Lines past the last one repeat it, for nobody stores what comes
// of them.
static inline void point_to_tile(__global const float** from, const Lines source, const int lines) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); ++i) {
    const int element = get_local_id(0) + i * ITEMS;
    const int line = min(line_of(element, source.lines_together, lines), source.last_line);
    from[i] = source.elements + line * source.line_step +
              depth_of(element, source.lines_together, lines) * source.depth_step;
  }
}

// Loads the first tile, with zeros below `depths`, and goes on to the next.
static inline void load_first_tile(float* elements, __global const float** from, const Lines source, const int lines,
                                   const int depths) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); ++i) {
    const int element = get_local_id(0) + i * ITEMS;
    elements[i] = depth_of(element, source.lines_together, lines) < depths ? *from[i] : 0.0f;
    from[i] += depths * source.depth_step;
  }
}

static inline void load_tile(float* elements, __global const float** from, const Lines source, const int lines) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); ++i) {
    if (lines * BK % ITEMS == 0 || (int)get_local_id(0) + i * ITEMS < lines * BK) elements[i] = *from[i];
    from[i] += BK * source.depth_step;
  }
}

// In local memory element (line, depth) lies at depth * stride + line.
static inline void store_tile(__local float* tile, const int stride, const float* elements, const Lines source,
                              const int lines) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); ++i) {
    const int element = get_local_id(0) + i * ITEMS;
    const int line = line_of(element, source.lines_together, lines);
    const int depth = depth_of(element, source.lines_together, lines);
    if (lines * BK % ITEMS == 0 || element < lines * BK) tile[depth * stride + line] = elements[i];
  }
}
