// Converts three Python matrices, or three lists of them, to the arguments of one call of clgemm: layout,
// transposes and leading dimensions.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <span>

#include "python/matrices.hpp"

namespace clgemm::python {

// One GEMM, or `batch_count` GEMMs on matrices at a constant stride. For lists, the leading dimensions are
// those of the first matrices. `transpose_a` and `transpose_b` are in terms of `layout`.
struct Arrangement : SgemmShape {
  std::size_t stride_c = 0;
  Layout order_of_a = Layout::row_major;  // as stored
  Layout order_of_b = Layout::row_major;
  bool is_batch = false;
};

// Returns the shape of the result: m x n, preceded by the count of the batch if A or B is a batch. Throws
// ValueError if A and B do not fit each other.
Arrangement shape_of_result(const Matrix& a, const Matrix& b, bool transpose_a, bool transpose_b);

// Arranges a call. C is row-major or column-major, as stored. A and B may be either, because a matrix of the
// other order is a transpose. Throws a ValueError with the argument's name if shapes do not fit, or if
// strides cannot be expressed without a copy.
Arrangement arrange(const Matrix& a, const Matrix& b, const Matrix& c, bool transpose_a, bool transpose_b);

// Does the same for lists of equal length that are not empty. Their matrices may differ only in their places
// and leading dimensions.
Arrangement arrange(std::span<const Matrix> a, std::span<const Matrix> b, std::span<const Matrix> c,
                    bool transpose_a, bool transpose_b);

// Returns the leading dimension of a matrix that is stored in this order.
std::size_t leading_dimension_in(const Matrix& matrix, Layout order);

// Throws ValueError if matrices of the batch C overlap each other.
void check_batch_of_c(const Arrangement& call);

}  // namespace clgemm::python
