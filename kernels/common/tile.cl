// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers: for kernels with
// `operands: in_place`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move it,
// neighbours beside neighbours, WIDTH of them at once: 1, or 4 where all fours of the operands are aligned and whole.
#if !defined(BK) || !defined(ITEMS) || !defined(WIDTH)
#error "common/tile.cl needs BK, ITEMS and WIDTH"
#endif
#if ITEMS < 8 || BK % 8 != 0
#error "common/tile.cl needs 8 work-items or more, and a BK of whole eights; all sizes are powers of two"
#endif

// Elements of a tile that one work-item moves.
#define TILE_ELEMENTS(lines) (((lines) * BK / WIDTH + ITEMS - 1) / ITEMS * WIDTH)

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

static inline Lines next_lines(Lines lines, const int depth) {
  lines.elements += depth * (lines.lines_together ? lines.ld : 1);
  lines.depth_left -= depth;
  return lines;
}

// The line and the depth in the tile of an element, or of the first of four. Where neighbours in memory are of
// neighbouring depths, 8 of them make a piece, a sector of most caches, and the next work-items have the next lines: so
// the writes to a transposed tile go to different banks. Pieces of 16 and of 32 are no faster on an H200.
static inline int line_of(const int element, const bool lines_together, const int lines) {
  return lines_together ? element % lines : element / 8 % lines;
}

static inline int depth_of(const int element, const bool lines_together, const int lines) {
  return lines_together ? element / lines : element / (8 * lines) * 8 + element % 8;
}

// The first `depth` of a tile, zeros after them, in the order of line_of() and depth_of(). Lines past the last one repeat
// one that is there, for nobody stores what comes of them.
#if WIDTH == 4
static inline void load_tile(float* elements, const Lines source, const int lines, const int depth) {
  const int last_line = source.last_line - (source.lines_together ? 3 : 0);
  const bool whole = depth == BK && lines * BK % (ITEMS * 4) == 0;  // known to the compiler
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); i += 4) {
    const int element = get_local_id(0) * 4 + i * ITEMS;
    const int line = min(line_of(element, source.lines_together, lines), last_line);
    const int element_depth = depth_of(element, source.lines_together, lines);
    __global const float* place =
        source.elements + (source.lines_together ? element_depth * source.ld + line : line * source.ld + element_depth);
    const float4 four = whole || element_depth < depth ? *(__global const float4*)place : (float4)(0.0f);
    elements[i] = four.x;
    elements[i + 1] = four.y;
    elements[i + 2] = four.z;
    elements[i + 3] = four.w;
  }
}
#else
// Each of so many places in memory is told from the one before: where compilers have all of them in registers from step to
// step, direct.cl takes 5 to 15 % longer on an H200, for fewer of its work-groups are there at a time.
static inline void load_tile(float* elements, const Lines source, const int lines, const int depth) {
  const int item = get_local_id(0);
  const bool whole = depth == BK && lines * BK % ITEMS == 0;  // known to the compiler
  int i = 0;
  if (source.lines_together) {
    const int apart = ITEMS > lines ? ITEMS / lines : 1;
    __global const float* row = source.elements + item / lines * source.ld;
#pragma unroll
    for (int step = 0; step < BK; step += apart) {
#pragma unroll
      for (int line = 0; line < lines; line += ITEMS) {
        const bool is_inside = whole || item / lines + step < depth;
        elements[i++] = is_inside ? row[min(line + item % lines, source.last_line)] : 0.0f;
      }
      row += apart * source.ld;
    }
  } else {
    const int apart = ITEMS / 8 < lines ? ITEMS / 8 : lines;
    const int first_line = line_of(item, false, lines);
#pragma unroll
    for (int step = 0; step < BK; step += ITEMS / apart) {
      const int place = step + depth_of(item, false, lines);
      __global const float* line = source.elements + min(first_line, source.last_line) * source.ld + place;
#pragma unroll
      for (int next = apart; next <= lines; next += apart) {
        elements[i++] = whole || place < depth ? *line : 0.0f;
        if (first_line + next <= source.last_line) line += apart * source.ld;
      }
    }
  }
}
#endif

// In local memory element (line, depth) lies at depth * stride + line.
static inline void store_tile(__local float* tile, const int stride, const float* elements, const Lines source,
                              const int lines) {
#pragma unroll
  for (int i = 0; i < TILE_ELEMENTS(lines); i += WIDTH) {
    const int element = get_local_id(0) * WIDTH + i * ITEMS;
    const int line = line_of(element, source.lines_together, lines);
    const int depth = depth_of(element, source.lines_together, lines);
    __local float* place = tile + depth * stride + line;
    if (lines * BK % (ITEMS * WIDTH) != 0 && element >= lines * BK) continue;
    if (WIDTH == 4 && source.lines_together) {
      *(__local float4*)place = (float4)(elements[i], elements[i + 1], elements[i + 2], elements[i + 3]);
    } else {
#pragma unroll
      for (int next = 0; next < WIDTH; ++next) place[next * stride] = elements[i + next];
    }
  }
}
