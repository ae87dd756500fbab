// The source that a work-item reads when both operands are packed in one launch, for a form of planes. The
// kernel function is in common/pack_both.cl.
#define PIECE 8  // depths: 16 bytes of a plane

// A matrix in the caller's memory. If `along_k`, neighbours in memory are neighbours along k; otherwise they
// belong to neighbouring lines.
typedef struct {
  __global const float* elements;
  ulong ld;
  bool along_k;
  bool fours;  // float4 loads along k are aligned
  int lines, depth;
  int packed_lines, packed_depth;
  bool is_alone;  // the other operand is not packed
} Source;

// Loads eight depths of a line. Past the end of the matrix it fills in zeros.
static inline void load_piece(float* values, const Source source, const int line, const int depth) {
  if (source.fours && line < source.lines && depth + PIECE <= source.depth) {
    const __global float4* place = (const __global float4*)(source.elements + line * source.ld + depth);
    const float4 low = place[0];
    const float4 high = place[1];
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
    return;
  }
#pragma unroll
  for (int next = 0; next < PIECE; ++next) {
    const int deep = depth + next;
    const ulong index = source.along_k ? line * source.ld + deep : deep * source.ld + line;
    values[next] = line < source.lines && deep < source.depth ? source.elements[index] : 0.0f;
  }
}

// Returns the place of such a piece's first plane in the packed operand, in units of 16 bytes.
static inline size_t place_of_piece(const Source source, const int line, const int depth) {
  const size_t bytes = line / BLOCK_LINES * strip_bytes(source.packed_depth) + HEADER_BYTES +
                       (size_t)(depth / BLOCK_DEPTH) * BLOCK_BYTES + line % BLOCK_LINES / 8 * GROUP_BYTES +
                       depth / 8 % 2 * CORE_BYTES + line % 8 * 16;
  return bytes / 16;
}
