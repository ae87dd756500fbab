// The operands form `bf16_planes`: an fp32 number as the sum of three bf16 numbers, and where these lie.
//
// Lines are rows of op(A) or columns of op(B). 64 lines and 16 of k are a block; the blocks of the same lines follow each
// other along k. Within a block, eight lines lie together, plane by plane:
//
//   16-byte pieces (8 of k of one line in one plane), in order: line / 8, plane, k / 8, line % 8
//
// so that 8 lines x 8 of k of a plane are 128 contiguous bytes, the "core matrix" that tensor cores read, and whatever a
// work-group needs for a step along k is contiguous.

#define PLANES 3
#define BLOCK_LINES 64
#define BLOCK_DEPTH 16
#define CORE_BYTES 128                                // 8 lines x 8 of k of a plane
#define PLANE_BYTES (2 * CORE_BYTES)                  // 8 lines x 16 of k
#define GROUP_BYTES (PLANES * PLANE_BYTES)            // all planes of 8 lines x 16 of k
#define BLOCK_BYTES (BLOCK_LINES / 8 * GROUP_BYTES)
