// The arguments of a GEMM kernel. kernels/README.md explains each one. A kernel's function is
//
//   void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
//     UNPACK_NUMBERS;
//
// with the macros below between the two if its manifest has one of their keys. All numbers are one argument,
// because a launch then takes less time. With six pointers, an empty kernel takes 4.9 us with one argument
// for all numbers, and 6.0 us with 22 numbers (H200, November 2026).
//
// The other form that clgemm accepts has each number as an argument. Two kernels have it: naive.cl, and
// pack_both.cl, because with the struct large calls took up to 1.03 times as long. NVIDIA's compiler then
// duplicates its loop less often: there are 29 loads in the machine code instead of 49.
#include "common/numbers.cl"

// `restrict` promises the compiler that C does not overlap A or B, so that it may load earlier. A kernel that
// wants its loads to stay where they are defines LOADS_STAY before it includes this file.
#ifdef LOADS_STAY
#define RESTRICT
#else
#define RESTRICT restrict
#endif

// clang-format off
#define GEMM_ARGUMENTS                                                                                       \
  __global const float* RESTRICT a, __global const float* RESTRICT b, __global float* RESTRICT c

// `batch`, with common/batch.cl
#define BATCH_ARGUMENTS __global const Product* RESTRICT products

// `adds_parts`, with common/parts.cl
#define PARTS_ARGUMENTS __global float* parts_memory, __global uint* arrivals

// `fallback`, with common/notes.cl
#define NOTES_ARGUMENTS __global uint* notes

// `unpacked`: the packed copy of the other operand
#define PACKED_ARGUMENTS __global const float* packed

// `role: fallback`
#define FALLBACK_ARGUMENTS GEMM_ARGUMENTS, NOTES_ARGUMENTS

// Declares the numbers as variables, except those that only `role: pack_both` has.
#define UNPACK_NUMBERS                                                                                       \
  const ulong a_offset = numbers.a_offset, lda = numbers.lda, a_stride = numbers.a_stride;                   \
  const ulong b_offset = numbers.b_offset, ldb = numbers.ldb, b_stride = numbers.b_stride;                   \
  const ulong c_offset = numbers.c_offset, ldc = numbers.ldc, c_stride = numbers.c_stride;                   \
  const ulong parts_offset = numbers.parts_offset, parts_ld = numbers.parts_ld;                              \
  const ulong parts_stride = numbers.parts_stride;                                                           \
  const ulong notes_offset = numbers.notes_offset, before = numbers.before;                                  \
  const ulong packed_offset = numbers.packed_offset, packed_stride = numbers.packed_stride;                  \
  const int m = numbers.m, n = numbers.n, k = numbers.k;                                                     \
  const float alpha = numbers.alpha, beta = numbers.beta;                                                    \
  const int batch_count = numbers.batch_count;                                                               \
  const int part_depth = numbers.part_depth, parts_count = numbers.parts_count;                              \
  const int a_notes = numbers.a_notes, b_notes = numbers.b_notes;                                            \
  const int packed_m = numbers.packed_m, packed_n = numbers.packed_n;                                        \
  const int packed_along_k = numbers.packed_along_k
// clang-format on
