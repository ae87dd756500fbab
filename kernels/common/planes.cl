// The layout of packed operands, for a form that has PLANES planes of 16-bit numbers and HEADER_BYTES in
// front of each strip.
//
// Lines are rows of op(A) or columns of op(B). A strip is 64 lines, and a block is 16 of k of a strip. The
// blocks of a strip follow each other along k. Within a block, each group of eight lines lies together, plane
// by plane:
//
//   16-byte pieces (8 of k of one line in one plane), in order: line / 8, plane, k / 8, line % 8
//
// So 8 lines x 8 of k of a plane are 128 contiguous bytes: the "core matrix" that tensor cores read. All that
// a work-group needs for a step along k is contiguous, too.
#if !defined(PLANES) || !defined(HEADER_BYTES)
#error "a form has PLANES and HEADER_BYTES"
#endif

#define BLOCK_LINES 64
#define BLOCK_DEPTH 16
#define CORE_BYTES 128                                // 8 lines x 8 of k of a plane
#define PLANE_BYTES (2 * CORE_BYTES)                  // 8 lines x 16 of k
#define GROUP_BYTES (PLANES * PLANE_BYTES)            // all planes of 8 lines x 16 of k
#define BLOCK_BYTES (BLOCK_LINES / 8 * GROUP_BYTES)

static inline ulong strip_bytes(const int depth) {
  return HEADER_BYTES + (ulong)(depth / BLOCK_DEPTH) * BLOCK_BYTES;
}
