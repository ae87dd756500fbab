// Tiles of op(A) and op(B) from where the caller has them to local memory, by way of registers: for kernels with
// `operands: direct`. A tile has `lines`, rows of op(A) or columns of op(B), and is BK deep; ITEMS work-items move
// lines * BK / ITEMS elements each. `lines_together`: neighbours in memory are of neighbouring lines, not depths.
#if !defined(BK) || !defined(ITEMS)
#error "common/tile.cl needs BK and ITEMS"
#endif

// Lines past the last one repeat it, for nobody stores what comes of them; past the end of k there are zeros.
static inline void load_tile(float* elements, __global const float* restrict source, const ulong ld,
                             const bool lines_together, const int lines, const int last_line, const int depth_left) {
#pragma unroll
  for (int load = 0; load < lines * BK / ITEMS; ++load) {
    const int piece = get_local_id(0) + load * ITEMS;
    const int line = min(lines_together ? piece % lines : piece / BK, last_line);
    const int depth = lines_together ? piece / lines : piece % BK;
    elements[load] = depth < depth_left ? source[lines_together ? depth * ld + line : line * ld + depth] : 0.0f;
  }
}

// In local memory element (line, depth) lies at depth * stride + line.
static inline void store_tile(__local float* tile, const int stride, const float* elements, const bool lines_together,
                              const int lines) {
#pragma unroll
  for (int load = 0; load < lines * BK / ITEMS; ++load) {
    const int piece = get_local_id(0) + load * ITEMS;
    const int line = lines_together ? piece % lines : piece / BK;
    const int depth = lines_together ? piece / lines : piece % BK;
    tile[depth * stride + line] = elements[load];
  }
}
