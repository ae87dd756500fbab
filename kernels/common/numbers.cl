// All numbers that a kernel may need at a launch, as one argument. kernels/README.md explains them. A number
// that does not belong to a kernel's role or keys has no meaning there. C++ code includes this file, too:
// `int` and `ulong` have the same sizes there, and there are no gaps. A later version may add numbers at the
// end. It does not move any, because a kernel folder may have a copy of this file.
typedef struct {
  int m, n, k;
  float alpha, beta;

  // `batch`
  int batch_count;

  // `adds_parts`
  int part_depth;

  // `role: reduce`
  int parts_count;

  // `fallback`, and `role: pack_both`
  int a_notes, b_notes;

  // `role: pack` has the first two.
  int packed_m, packed_n, packed_k;

  // `role: pack_both`
  int a_along_k, b_along_k;

  // `unpacked`
  int packed_along_k;

  // The places of the matrices, their leading dimensions, and the distances from each to the next of a batch.
  ulong a_offset, lda, a_stride;
  ulong b_offset, ldb, b_stride;
  ulong c_offset, ldc, c_stride;

  // `adds_parts`, and `role: reduce`
  ulong parts_offset, parts_ld, parts_stride;

  // `fallback`, and `role: pack_both`
  ulong notes_offset;

  // `fallback`, `role: fallback`, and `role: pack_both`
  ulong before;

  // `unpacked`
  ulong packed_offset, packed_stride;

  // `role: pack_both`
  ulong packed_a_offset, packed_a_stride, packed_b_offset, packed_b_stride;
} Numbers;
