// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers: for kernels with
// `operands: direct`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move it,
// four neighbours at a time where all such fours are aligned and whole, else one by one.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif

// Elements of a tile that one work-item holds.
#define TILE_ELEMENTS(lines) (((lines) * BK / 4 + ITEMS - 1) / ITEMS * 4)

// op(A) or op(B) from a work-group's first line on.
typedef struct {
  __global const float* elements;
  ulong ld;
  bool lines_together;  // neighbours in memory are of neighbouring lines, not depths
  int last_line;
  bool fours;
} Lines;

static inline Lines lines_from(__global const float* elements, const ulong ld, const bool lines_together,
                               const int first_line, const int line_count, const int k) {
  Lines lines;
  lines.elements = elements + first_line * (lines_together ? 1 : ld);
  lines.ld = ld;
  lines.lines_together = lines_together;
  lines.last_line = line_count - 1 - first_line;
  lines.fours = (size_t)elements % 16 == 0 && ld % 4 == 0 && (lines_together ? line_count : k) % 4 == 0;
  return lines;
}

// Lines past the last one repeat it, for nobody stores what comes of them; past the end of k there are zeros.
static inline void load_tile(float* elements, const Lines source, const int lines, const int start, const int k) {
  const int item = get_local_id(0);
  __global const float* first = source.elements + start * (source.lines_together ? source.ld : 1);
  if (source.fours) {
#pragma unroll
    for (int load = 0; load < TILE_ELEMENTS(lines) / 4; ++load) {
      const int piece = item + load * ITEMS;
      const int line = source.lines_together ? min(piece % (lines / 4) * 4, source.last_line - 3)
                                             : min(piece / (BK / 4), source.last_line);
      const int depth = source.lines_together ? piece / (lines / 4) : piece % (BK / 4) * 4;
      const ulong index = source.lines_together ? depth * source.ld + line : line * source.ld + depth;
      const bool inside = piece < lines * BK / 4 && depth < k - start;
      const float4 four = inside ? *(__global const float4*)(first + index) : (float4)(0.0f);
      elements[load * 4] = four.x;
      elements[load * 4 + 1] = four.y;
      elements[load * 4 + 2] = four.z;
      elements[load * 4 + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int load = 0; load < TILE_ELEMENTS(lines); ++load) {
      const int piece = item + load * ITEMS;
      const int line = min(source.lines_together ? piece % lines : piece / BK, source.last_line);
      const int depth = source.lines_together ? piece / lines : piece % BK;
      const ulong index = source.lines_together ? depth * source.ld + line : line * source.ld + depth;
      elements[load] = piece < lines * BK && depth < k - start ? first[index] : 0.0f;
    }
  }
}

// In local memory element (line, depth) lies at depth * stride + line.
static inline void store_tile(__local float* tile, const int stride, const float* elements, const Lines source,
                              const int lines) {
  const int item = get_local_id(0);
  if (source.fours) {
#pragma unroll
    for (int load = 0; load < TILE_ELEMENTS(lines) / 4; ++load) {
      const int piece = item + load * ITEMS;
      const int line = source.lines_together ? piece % (lines / 4) * 4 : piece / (BK / 4);
      const int depth = source.lines_together ? piece / (lines / 4) : piece % (BK / 4) * 4;
      if (piece >= lines * BK / 4) continue;
      const float4 four =
          (float4)(elements[load * 4], elements[load * 4 + 1], elements[load * 4 + 2], elements[load * 4 + 3]);
      if (source.lines_together) {
        *(__local float4*)(tile + depth * stride + line) = four;
      } else {
        tile[depth * stride + line] = four.x;
        tile[(depth + 1) * stride + line] = four.y;
        tile[(depth + 2) * stride + line] = four.z;
        tile[(depth + 3) * stride + line] = four.w;
      }
    }
  } else {
#pragma unroll
    for (int load = 0; load < TILE_ELEMENTS(lines); ++load) {
      const int piece = item + load * ITEMS;
      const int line = source.lines_together ? piece % lines : piece / BK;
      const int depth = source.lines_together ? piece / lines : piece % BK;
      if (piece < lines * BK) tile[depth * stride + line] = elements[load];
    }
  }
}
