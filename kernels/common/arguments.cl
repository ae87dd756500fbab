// The arguments of a GEMM kernel, in the order in which clgemm passes them. kernels/README.md explains each
// one, and naive.cl has the same list written out. A kernel's function is
//
//   void gemm(GEMM_ARGUMENTS)
//
// with the macros below after these arguments if its manifest has one of their keys.

// `restrict` promises the compiler that C does not overlap A or B, so that it may load earlier. A kernel that
// wants its loads to stay where they are defines LOADS_STAY before it includes this file.
#ifdef LOADS_STAY
#define RESTRICT
#else
#define RESTRICT restrict
#endif

// clang-format off
#define GEMM_ARGUMENTS                                                                                       \
  const int m, const int n, const int k, const float alpha,                                                  \
  __global const float* RESTRICT a, const ulong a_offset, const ulong lda, const ulong a_stride,             \
  __global const float* RESTRICT b, const ulong b_offset, const ulong ldb, const ulong b_stride,             \
  const float beta,                                                                                          \
  __global float* RESTRICT c, const ulong c_offset, const ulong ldc, const ulong c_stride

// `batch`, with common/batch.cl
#define BATCH_ARGUMENTS const int batch_count, __global const Product* RESTRICT products

// `adds_parts`, with common/parts.cl
#define PARTS_ARGUMENTS                                                                                      \
  const int part_depth, __global float* parts_memory, const ulong parts_offset, const ulong parts_ld,        \
  const ulong parts_stride, __global uint* arrivals

// `fallback`, with common/notes.cl
#define NOTES_ARGUMENTS                                                                                      \
  __global uint* notes, const ulong notes_offset, const int a_notes, const int b_notes, const ulong before

// `unpacked`: the packed copy of the other operand, and whether that one lies along k in the caller's memory
#define PACKED_ARGUMENTS                                                                                     \
  __global const float* packed, const ulong packed_offset, const ulong packed_stride, const int packed_along_k

// `role: fallback`
#define FALLBACK_ARGUMENTS GEMM_ARGUMENTS, __global uint* notes, const ulong before
// clang-format on
