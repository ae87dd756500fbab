#include "clblast/checks.hpp"

#include <limits>

namespace clgemm::clblast_names {
namespace {

using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;

constexpr std::size_t too_large = std::numeric_limits<std::size_t>::max();

std::size_t sum(std::size_t x, std::size_t y) {
  std::size_t result = 0;
  return __builtin_add_overflow(x, y, &result) ? too_large : result;
}

std::size_t product(std::size_t x, std::size_t y) {
  std::size_t result = 0;
  return __builtin_mul_overflow(x, y, &result) ? too_large : result;
}

// The statuses for errors in one of the three matrices.
struct Faults {
  StatusCode leading_dimension;
  StatusCode no_buffer;
  StatusCode too_small;
};

constexpr Faults faults_of_a = {StatusCode::kInvalidLeadDimA, StatusCode::kInvalidMatrixA,
                                StatusCode::kInsufficientMemoryA};
constexpr Faults faults_of_b = {StatusCode::kInvalidLeadDimB, StatusCode::kInvalidMatrixB,
                                StatusCode::kInsufficientMemoryB};
constexpr Faults faults_of_c = {StatusCode::kInvalidLeadDimC, StatusCode::kInvalidMatrixC,
                                StatusCode::kInsufficientMemoryC};

StatusCode check_matrix(const Extent& extent, const Last& matrix, const Faults& faults, RowsOfAAndB rows) {
  if (rows == RowsOfAAndB::apart && matrix.ld < extent.one) return faults.leading_dimension;
  std::size_t bytes = 0;
  if (clGetMemObjectInfo(matrix.buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return faults.no_buffer;
  const std::size_t elements = sum(sum(product(matrix.ld, extent.two - 1), extent.one), matrix.offset);
  return bytes < product(elements, sizeof(float)) ? faults.too_small : StatusCode::kSuccess;
}

bool is_rotated(Layout layout, Transpose transpose) {
  return (layout == Layout::kRowMajor) == (transpose == Transpose::kNo);
}

}  // namespace

std::size_t last_offset(std::size_t offset, std::size_t stride, std::size_t batch_count) {
  return sum(offset, product(stride, batch_count - 1));
}

StatusCode check_queue(const cl_command_queue* queue) {
  return queue == nullptr || *queue == nullptr ? StatusCode::kInvalidCommandQueue : StatusCode::kSuccess;
}

Extent extent_of_a(const Form& form) {
  return is_rotated(form.layout, form.transpose_a) ? Extent{form.k, form.m} : Extent{form.m, form.k};
}

Extent extent_of_b(const Form& form) {
  return is_rotated(form.layout, form.transpose_b) ? Extent{form.n, form.k} : Extent{form.k, form.n};
}

Extent extent_of_c(const Form& form) {
  return form.layout == Layout::kRowMajor ? Extent{form.n, form.m} : Extent{form.m, form.n};
}

StatusCode check_gemm(const Form& form, const Last& a, const Last& b, const Last& c, RowsOfAAndB rows) {
  if (form.m == 0 || form.n == 0 || form.k == 0) return StatusCode::kInvalidDimension;
  StatusCode status = check_matrix(extent_of_a(form), a, faults_of_a, rows);
  if (status == StatusCode::kSuccess) status = check_matrix(extent_of_b(form), b, faults_of_b, rows);
  if (status == StatusCode::kSuccess)
    status = check_matrix(extent_of_c(form), c, faults_of_c, RowsOfAAndB::apart);
  return status;
}

}  // namespace clgemm::clblast_names
