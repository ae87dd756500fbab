#include "python/arrangement.hpp"

#include <algorithm>
#include <optional>

namespace py = pybind11;

namespace clgemm::python {
namespace {

std::string dimensions(const Matrix& matrix, bool transpose) {
  const std::size_t rows = transpose ? matrix.columns : matrix.rows;
  const std::size_t columns = transpose ? matrix.rows : matrix.columns;
  return matrix.name.text() + (transpose ? ", transposed, is " : " is ") + std::to_string(rows) + " x " +
         std::to_string(columns);
}

// Returns the leading dimension of a matrix of `count` lines of `length` elements; nothing if these strides
// have none.
std::optional<std::size_t> leading_dimension(std::size_t count, std::size_t length,
                                             std::ptrdiff_t line_stride, std::ptrdiff_t element_stride) {
  const std::size_t least = std::max<std::size_t>(length, 1);
  if (length > 1 && element_stride != 1) return std::nullopt;
  if (count <= 1 || length == 0) return least;
  if (line_stride < static_cast<std::ptrdiff_t>(least)) return std::nullopt;
  return static_cast<std::size_t>(line_stride);
}

std::optional<std::size_t> leading_dimension(const Matrix& matrix, Layout layout) {
  return layout == Layout::row_major
             ? leading_dimension(matrix.rows, matrix.columns, matrix.row_stride, matrix.column_stride)
             : leading_dimension(matrix.columns, matrix.rows, matrix.column_stride, matrix.row_stride);
}

[[noreturn]] void throw_needs_copy(const Matrix& matrix) {
  throw py::value_error(matrix.name.text() + " has strides of " + std::to_string(matrix.row_stride) +
                        " and " + std::to_string(matrix.column_stride) +
                        " elements, so neither its rows nor its columns are contiguous; copy it first "
                        "(numpy.ascontiguousarray)");
}

constexpr Layout other(Layout layout) {
  return layout == Layout::row_major ? Layout::column_major : Layout::row_major;
}

// Returns the order of all these matrices. Returns `preferred` if both orders are possible.
Layout common_order(std::span<const Matrix> matrices, Layout preferred) {
  for (const Layout order : {preferred, other(preferred)}) {
    const auto lies_so = [order](const Matrix& matrix) {
      return leading_dimension(matrix, order).has_value();
    };
    if (std::all_of(matrices.begin(), matrices.end(), lies_so)) return order;
  }
  for (const Matrix& matrix : matrices) {
    if (!leading_dimension(matrix, Layout::row_major) && !leading_dimension(matrix, Layout::column_major))
      throw_needs_copy(matrix);
  }
  throw py::value_error(std::string(matrices.front().name.argument) +
                        ": some of its matrices have contiguous rows, and others have contiguous columns; "
                        "all matrices of a list must have the same order");
}

// In this layout, a matrix of the other order is its transpose.
Transpose place(std::span<const Matrix> matrices, bool transpose, Layout layout, Layout& order,
                std::size_t& ld) {
  order = common_order(matrices, layout);
  ld = leading_dimension_in(matrices.front(), order);
  return transpose != (order != layout) ? Transpose::yes : Transpose::no;
}

void check_same_shape(std::span<const Matrix> matrices) {
  for (const Matrix& matrix : matrices) {
    if (matrix.is_batch) throw py::value_error(matrix.name.text() + " must have two dimensions in a list");
    if (matrix.rows == matrices.front().rows && matrix.columns == matrices.front().columns) continue;
    throw py::value_error(dimensions(matrix, false) + ", and " + dimensions(matrices.front(), false) +
                          ": all matrices of a list must have the same shape");
  }
}

[[noreturn]] void throw_wrong_count(const Matrix& matrix, std::size_t batch_count) {
  throw py::value_error(matrix.name.text() + " has " + std::to_string(matrix.batch_count) +
                        " matrices in a batch of " + std::to_string(batch_count));
}

// All operands of a batch have the same number of matrices. A single matrix, or a batch of one, serves for
// all.
std::size_t stride_in_batch(const Matrix& matrix, std::size_t batch_count) {
  if (!matrix.is_batch || (matrix.batch_count == 1 && batch_count != 1)) return 0;
  if (matrix.batch_count == batch_count)
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(matrix.batch_stride, 0));
  throw_wrong_count(matrix, batch_count);
}

void check_shape_of_c(const Matrix& c, const Arrangement& call) {
  if (c.is_batch != call.is_batch) {
    throw py::value_error(c.name.text() + (call.is_batch
                                               ? " must have three dimensions, because a or b is a batch"
                                               : " must have two dimensions, as a and b have"));
  }
  if (c.rows == call.m && c.columns == call.n) return;
  throw py::value_error(dimensions(c, false) + ", but the result is " + std::to_string(call.m) + " x " +
                        std::to_string(call.n));
}

std::size_t stride_of_c(const Matrix& c, std::size_t batch_count) {
  if (c.is_batch && c.batch_count != batch_count) throw_wrong_count(c, batch_count);
  return stride_in_batch(c, batch_count);
}

Arrangement arrange_all(std::span<const Matrix> a, std::span<const Matrix> b, std::span<const Matrix> c,
                        bool transpose_a, bool transpose_b) {
  Arrangement call = shape_of_result(a.front(), b.front(), transpose_a, transpose_b);
  check_shape_of_c(c.front(), call);
  call.stride_c = stride_of_c(c.front(), call.batch_count);
  call.layout = common_order(c, Layout::row_major);
  call.ldc = leading_dimension_in(c.front(), call.layout);
  call.transpose_a = place(a, transpose_a, call.layout, call.order_of_a, call.lda);
  call.transpose_b = place(b, transpose_b, call.layout, call.order_of_b, call.ldb);
  return call;
}

}  // namespace

Arrangement shape_of_result(const Matrix& a, const Matrix& b, bool transpose_a, bool transpose_b) {
  Arrangement call;
  call.m = transpose_a ? a.columns : a.rows;
  call.k = transpose_a ? a.rows : a.columns;
  call.n = transpose_b ? b.rows : b.columns;
  const std::size_t rows_of_b = transpose_b ? b.columns : b.rows;
  if (rows_of_b != call.k) {
    throw py::value_error(dimensions(a, transpose_a) + " and " + dimensions(b, transpose_b) + ": b needs " +
                          std::to_string(call.k) + " rows");
  }
  call.is_batch = a.is_batch || b.is_batch;
  call.batch_count = a.is_batch && (a.batch_count != 1 || !b.is_batch) ? a.batch_count : b.batch_count;
  call.stride_a = stride_in_batch(a, call.batch_count);
  call.stride_b = stride_in_batch(b, call.batch_count);
  return call;
}

Arrangement arrange(const Matrix& a, const Matrix& b, const Matrix& c, bool transpose_a, bool transpose_b) {
  return arrange_all(std::span(&a, 1), std::span(&b, 1), std::span(&c, 1), transpose_a, transpose_b);
}

Arrangement arrange(std::span<const Matrix> a, std::span<const Matrix> b, std::span<const Matrix> c,
                    bool transpose_a, bool transpose_b) {
  for (const auto& list : {a, b, c}) check_same_shape(list);
  return arrange_all(a, b, c, transpose_a, transpose_b);
}

std::size_t leading_dimension_in(const Matrix& matrix, Layout order) {
  return leading_dimension(matrix, order).value();
}

void check_batch_of_c(const Arrangement& call) {
  if (call.batch_count <= 1 || call.m == 0 || call.n == 0) return;
  const std::size_t lines = call.layout == Layout::row_major ? call.m : call.n;
  const std::size_t length = call.layout == Layout::row_major ? call.n : call.m;
  const bool one_behind_the_other = call.stride_c >= (lines - 1) * call.ldc + length;
  const bool line_by_line =
      call.stride_c >= length && call.ldc >= (call.batch_count - 1) * call.stride_c + length;
  if (one_behind_the_other || line_by_line) return;
  throw py::value_error("c: the matrices of the batch overlap each other");
}

}  // namespace clgemm::python
