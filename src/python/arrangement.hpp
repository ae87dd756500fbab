// Three matrices as Python has them, or three lists of them -> the arguments of one call of clgemm: layout,
// transposes, leading dimensions.
#pragma once

#include <span>

#include "python/host_call.hpp"
#include "python/matrices.hpp"

namespace clgemm::python {

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
