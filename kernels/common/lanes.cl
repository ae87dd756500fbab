// The order in which 32 neighbouring work-items share a patch of 8 x 4 blocks, of whose rows and columns each reads 16-byte
// pieces of local memory: row order / 4 and column order % 4.
//
// NVIDIA's GPUs serve such a read in two passes, not four, where in each half of the 32 either items 2i and 2i + 1, or
// items i and i + 2 of each four want the same piece (Scott Gray's maxas, SGEMM, places its work-items like this). So
// rows differ by bits 1 to 3 of an item's number, columns by bits 0 and 4. On an H200 that is 1 to 2 % with 8 x 8 results a
// work-item, and 6 % with 16 x 8.
static inline int patch_order(const int item) {
  const int lane = item & 31;
  return (lane & 1) | (lane >> 4) << 1 | (lane >> 1 & 7) << 2;
}
