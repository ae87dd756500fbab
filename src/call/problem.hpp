// One multiply, as a caller states it and as the rest of the library sees it.
//
// SgemmCall speaks the caller's language; check_call() answers in it. Problem is canonical: row-major, with A
// and B exchanged where the caller was column-major, for a column-major C is the row-major C^T = op(B)^T
// op(A)^T.
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

struct SgemmCall {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::size_t lda = 0;
  std::size_t ldb = 0;
  std::size_t ldc = 0;

  // A batch is `batch_count` such multiplies on matrices that lie `stride` elements apart.
  std::size_t batch_count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

// The call of this shape, with the smallest leading dimensions where it leaves them open.
SgemmCall call_of(const SgemmShape& shape);

// How a matrix lies in the caller's memory: `count` lines (rows or columns) of `length` elements, `ld` apart.
struct Lines {
  std::size_t count = 0;
  std::size_t length = 0;
  std::size_t ld = 0;
};
Lines lines_of_a(const SgemmCall& call);
Lines lines_of_b(const SgemmCall& call);
Lines lines_of_c(const SgemmCall& call);

// Elements from the first to the last of each matrix, or of all matrices of a batch, with the gaps between
// rows and between matrices; 0 where there is none.
struct Extents {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// Throws Error(invalid_argument or invalid_leading_dimension) in the caller's terms.
Extents check_call(const SgemmCall& call);

// A and B are never read where this is false, so that their pointers may be null.
bool reads_a_and_b(const SgemmCall& call);

// A matrix operand in row-major memory: row r of what is stored starts at offset + r * ld.
struct Operand {
  bool transposed = false;  // what is stored is the transpose of what is multiplied
  std::size_t ld = 0;
  std::size_t offset = 0;
  std::size_t stride = 0;          // from one matrix of a batch to the next
  std::size_t base_alignment = 1;  // the first element of the buffer lies at a multiple of this many elements

  bool operator==(const Operand&) const = default;
};

struct Problem : GemmSize {
  float alpha = 1.0f;
  float beta = 0.0f;
  Operand a;
  Operand b;
  Operand c;
  std::size_t batch_count = 1;

  // The matrices of the batch, and an alpha and a beta for each, are in a list on the device (Product). A
  // stride then is what all offsets of its operand are multiples of, and `offset` 0.
  bool listed = false;

  bool operator==(const Problem&) const = default;
};

// A multiply of a listed batch, as kernels read it (kernels/common/batch.cl): where its matrices begin, in
// elements from the start of their buffers, and its factors.
struct Product {
  std::uint64_t a, b, c;
  float alpha, beta;
};

// The same multiply as C^T = op(B)^T op(A)^T, for a C of one row: its transpose is one column without gaps.
// `a` of the result is the b of the problem.
Problem mirrored(const Problem& problem);

// The canonical problem of a checked call. Where the layout is column-major, `a` of the result is the
// caller's B and `b` the caller's A. Offsets and alignments are the caller's to fill in.
Problem canonical(const SgemmCall& call);

}  // namespace clgemm
