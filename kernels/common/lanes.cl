// Returns a work-item's place in a patch of 8 x 4 blocks that 32 neighbouring work-items share: row result /
// 4, column result % 4. Each work-item reads 16-byte pieces of local memory for its row and its column.
//
// NVIDIA's GPUs serve such a read in two passes instead of four under one condition. In each half of the 32,
// either items 2i and 2i + 1 want the same piece, or items i and i + 2 of each four do. Scott Gray's SGEMM in
// maxas places its work-items like this. So bits 1 to 3 of an item's number select the row, and bits 0 and 4
// the column. This gains 1 to 2 % with 8 x 8 results per work-item, and 6 % with 16 x 8 (H200, November
// 2026).
static inline int patch_order(const int item) {
  const int lane = item & 31;
  return (lane & 1) | (lane >> 4) << 1 | (lane >> 1 & 7) << 2;
}
