// Three matrices as Python has them, or three lists of them -> the arguments of one call of clgemm: layout,
// transposes, leading dimensions.
#pragma once

#include <span>

#include "python/matrices.hpp"

namespace clgemm::python {

// One multiply, or `batch_count` of them whose matrices lie a stride apart.
struct Arrangement {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t lda = 0;  // of lists: of their first matrices
  std::size_t ldb = 0;
  std::size_t ldc = 0;
  Layout order_of_a = Layout::row_major;  // in which it lies; `transpose_a` is in terms of `layout`
  Layout order_of_b = Layout::row_major;
  bool is_batch = false;
  std::size_t batch_count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

// The shape that the result has: m x n, before it the batch's count where A or B is a batch. Throws
// ValueError where A and B do not fit each other.
Arrangement shape_of_result(const Matrix& a, const Matrix& b, bool transpose_a, bool transpose_b);

// C is row-major or column-major as it lies in memory; A and B may be either, for then op(X) is the other
// one. Throws ValueError with the argument's name where shapes do not fit, or where strides cannot be said
// without a copy.
Arrangement arrange(const Matrix& a, const Matrix& b, const Matrix& c, bool transpose_a, bool transpose_b);

// The same for lists of equal length, not empty, whose matrices differ by their places and leading dimensions
// alone.
Arrangement arrange(std::span<const Matrix> a, std::span<const Matrix> b, std::span<const Matrix> c,
                    bool transpose_a, bool transpose_b);

// Of a matrix that lies in this order.
std::size_t leading_dimension_in(const Matrix& matrix, Layout order);

// Throws ValueError where matrices of the batch C overlap each other.
void check_batch_of_c(const Arrangement& call);

}  // namespace clgemm::python
