// One GEMM, in the caller's form and in the form that the rest of the library uses.
//
// SgemmCall is in the caller's terms, and so are the errors of check_call(). Problem is canonical: row-major,
// with A and B exchanged if the caller's matrices are column-major, because a column-major C is the row-major
// C^T = op(B)^T op(A)^T.
#pragma once

#include <clgemm/clgemm.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace clgemm {

// C is m x n, and each of its elements is the sum of k products.
struct GemmSize {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;

  auto operator<=>(const GemmSize&) const = default;
};

struct SgemmCall : GemmSize {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::size_t lda = 0;
  std::size_t ldb = 0;
  std::size_t ldc = 0;

  // A batch is `batch_count` such GEMMs on matrices at a distance of `stride` elements.
  std::size_t batch_count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

// Returns the call of this shape, with the smallest leading dimensions if the shape has none.
SgemmCall call_of(const SgemmShape& shape);

// The layout of a matrix in the caller's memory: `count` lines (rows or columns) of `length` elements, at a
// distance of `ld`.
struct Lines {
  std::size_t count = 0;
  std::size_t length = 0;
  std::size_t ld = 0;
};
Lines lines_of_a(const SgemmCall& call);
Lines lines_of_b(const SgemmCall& call);
Lines lines_of_c(const SgemmCall& call);

// The number of elements from the first to the last of each matrix, or of all matrices of a batch. It
// includes the gaps between rows and between matrices. 0 if there is no element.
struct Extents {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// Throws Error(invalid_argument or invalid_leading_dimension) in the caller's terms.
Extents check_call(const SgemmCall& call);

// Returns whether A and B are read. If they are not, their pointers may be null.
bool reads_a_and_b(const SgemmCall& call);

// A matrix operand in row-major memory. Row r of the stored matrix starts at offset + r * ld.
struct Operand {
  bool transposed = false;  // the stored matrix is the transpose of the operand
  std::size_t ld = 0;
  std::size_t offset = 0;
  std::size_t stride = 0;          // from one matrix of a batch to the next
  std::size_t base_alignment = 1;  // the buffer begins at a multiple of this many elements

  bool operator==(const Operand&) const = default;
};

struct Problem : GemmSize {
  float alpha = 1.0f;
  float beta = 0.0f;
  Operand a;
  Operand b;
  Operand c;
  std::size_t batch_count = 1;

  // The matrices of the batch, with an alpha and a beta for each, are in a list on the device (Product). Then
  // all offsets of an operand are multiples of its stride, and `offset` is 0.
  bool listed = false;

  bool operator==(const Problem&) const = default;
};

// A GEMM of a listed batch, as kernels read it (kernels/common/batch.cl): the offsets of its matrices in
// their buffers, in elements, and its factors.
struct Product {
  std::uint64_t a, b, c;
  float alpha, beta;
};

// Returns the same GEMM as C^T = op(B)^T op(A)^T. It is for a C of one row, because its transpose is one
// column without gaps. `a` of the result is the b of the problem.
Problem transposed_problem(const Problem& problem);

// Returns the same GEMM with an A of one row, or a B of one column, as one line of k elements, if there are
// no gaps between its elements. Then kernels can read it several elements at a time.
Problem with_vectors_as_lines(Problem problem);

// Returns the canonical problem of a checked call. If the layout is column-major, `a` of the result is the
// caller's B and `b` the caller's A. The calling code must fill in offsets and alignments.
Problem canonical(const SgemmCall& call);

}  // namespace clgemm
