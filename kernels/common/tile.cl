// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers: for kernels with
// `operands: direct`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move it,
// one element at a time, neighbours beside neighbours: that is fast wherever a row begins in memory.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif

// Elements of a tile that one work-item moves.
#define TILE_ELEMENTS(lines) (((lines) * BK + ITEMS - 1) / ITEMS)

// op(A) or op(B) from a work-group's first line and the next depth on. `lines_together`: neighbours in memory are of
// neighbouring lines, not depths.
typedef struct {
  __global const float* elements;
  ulong ld;
  bool lines_together;
  int last_line;
  int depth_left;
} Lines;

static inline Lines lines_from(__global const float* elements, const ulong ld, const bool lines_together,
                               const int first_line, const int line_count, const int k) {
  const Lines lines = {elements + first_line * (lines_together ? 1 : ld), ld, lines_together,
                       line_count - 1 - first_line, k};
  return lines;
}

static inline Lines next_lines(Lines lines) {
  lines.elements += BK * (lines.lines_together ? lines.ld : 1);
  lines.depth_left -= BK;
  return lines;
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

// Lines past the last one repeat it, for nobody stores what comes of them; past the end of k there are zeros.
static inline void load_tile(float* elements, const Lines source, const int lines) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); ++i) {
    const int element = get_local_id(0) + i * ITEMS;
    const int line = min(line_of(element, source.lines_together, lines), source.last_line);
    const int depth = depth_of(element, source.lines_together, lines);
    const ulong index = source.lines_together ? depth * source.ld + line : line * source.ld + depth;
    elements[i] = depth < source.depth_left ? source.elements[index] : 0.0f;
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
