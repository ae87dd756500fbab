// All numbers that a kernel may need at a launch, as one argument. kernels/README.md explains each one. C++
// code includes this file, too: `int` and `ulong` have the same sizes there, and there are no gaps. Numbers
// that most kernels use come first, so that they lie in few lines of a GPU's cache for arguments.
typedef struct {
  int m, n, k;  // `role: pack`: op(X) is m x n. It has the place of A, and the packed copy that of C.
  float alpha, beta;
  int batch_count;                   // `batch`
  int part_depth, parts_count;       // `adds_parts`, and `role: reduce`
  int a_notes, b_notes;              // `fallback`, and `role: pack_both`
  int packed_m, packed_n, packed_k;  // `role: pack` and `pack_both`
  int a_along_k, b_along_k;          // `role: pack_both`
  int packed_along_k;                // `unpacked`

  // For each matrix: its place in its buffer, its leading dimension, and the distance to the next of a batch.
  ulong a_offset, lda, a_stride;
  ulong b_offset, ldb, b_stride;
  ulong c_offset, ldc, c_stride;

  // `adds_parts`, and `role: reduce`
  ulong parts_offset, parts_ld, parts_stride;

  // `fallback`, `role: fallback` and `pack_both`
  ulong notes_offset, before;

  // `unpacked`, and `role: pack_both`
  ulong packed_offset, packed_stride;
  ulong packed_a_offset, packed_a_stride, packed_b_offset, packed_b_stride;
} Numbers;
