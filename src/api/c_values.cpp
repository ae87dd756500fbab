#include "api/c_values.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace clgemm::c_api {

void refuse(const std::string& text, Argument argument) {
  throw Error(ErrorCode::invalid_argument, text, argument);
}

Layout layout_of(clgemm_layout layout) {
  if (layout == CLGEMM_ROW_MAJOR) return Layout::row_major;
  if (layout == CLGEMM_COLUMN_MAJOR) return Layout::column_major;
  refuse("layout is neither CLGEMM_ROW_MAJOR nor CLGEMM_COLUMN_MAJOR", Argument::layout);
}

Transpose transpose_of(clgemm_transpose transpose, Argument argument) {
  if (transpose == CLGEMM_NO_TRANSPOSE) return Transpose::no;
  if (transpose == CLGEMM_TRANSPOSE) return Transpose::yes;
  const std::string name = argument == Argument::transpose_a ? "transpose_a" : "transpose_b";
  refuse(name + " is neither CLGEMM_NO_TRANSPOSE nor CLGEMM_TRANSPOSE", argument);
}

Precision precision_of(clgemm_precision precision) {
  if (precision == CLGEMM_FP32_EQUIVALENT) return Precision::fp32_equivalent;
  if (precision == CLGEMM_FP32) return Precision::fp32;
  refuse("precision is neither CLGEMM_FP32_EQUIVALENT nor CLGEMM_FP32", Argument::options);
}

Options options_of(const clgemm_options* options) {
  Options result;
  if (options == nullptr) return result;
  // The sizes in programs that were compiled before `precision` was added, and before the members for host
  // matrices were.
  constexpr std::size_t without_precision = offsetof(clgemm_options, precision);
  constexpr std::size_t without_host_matrices = offsetof(clgemm_options, device_memory_limit);
  if (options->size != sizeof *options && options->size != without_precision &&
      options->size != without_host_matrices) {
    refuse("the options do not begin with CLGEMM_OPTIONS_INIT", Argument::options);
  }
  if (options->kernel != nullptr) result.kernel = options->kernel;
  if (options->kernel_folder != nullptr) result.kernel_folder = options->kernel_folder;
  if (options->parameter_count != 0)
    require(options->parameters, "the list of parameters in the options", Argument::options);
  for (std::size_t i = 0; i < options->parameter_count; ++i) {
    require(options->parameters[i].name, "the name of a parameter", Argument::options);
    result.parameters[options->parameters[i].name] = options->parameters[i].value;
  }
  result.scratch_limit = options->scratch_limit;
  result.scratch = options->scratch;
  if (options->kernel_file != nullptr) result.kernel_file = options->kernel_file;
  if (options->size > without_precision) result.precision = precision_of(options->precision);
  if (options->size > without_host_matrices) {
    result.device_memory_limit = options->device_memory_limit;
    result.host_matrices_are_pinned = options->host_matrices_are_pinned != 0;
  }
  return result;
}

SgemmShape shape_of(const clgemm_shape* shape) {
  require(shape, "the shape");
  if (shape->size != sizeof *shape) refuse("a shape does not begin with CLGEMM_SHAPE_INIT");
  return {layout_of(shape->layout),
          transpose_of(shape->transpose_a, Argument::transpose_a),
          transpose_of(shape->transpose_b, Argument::transpose_b),
          shape->m,
          shape->n,
          shape->k,
          shape->lda,
          shape->ldb,
          shape->ldc,
          shape->offset_a,
          shape->offset_b,
          shape->batch_count,
          shape->stride_a,
          shape->stride_b};
}

DeviceMatrix matrix_of(const clgemm_matrix& matrix) {
  return {matrix.buffer, matrix.ld, matrix.offset};
}

DeviceMatrix matrix_of(const clgemm_shared_matrix& matrix) {
  return {matrix.memory, matrix.ld, matrix.offset};
}

std::vector<DeviceMatrix> matrices_of(const clgemm_matrix* matrices, std::size_t count, const char* name,
                                      Argument argument) {
  if (count != 0) require(matrices, name, argument);
  std::vector<DeviceMatrix> result;
  if (count > result.max_size()) refuse(std::string(name) + " is too long", Argument::batch_count);
  std::transform(matrices, matrices + count, std::back_inserter(result),
                 [](const clgemm_matrix& matrix) { return matrix_of(matrix); });
  return result;
}

std::vector<float> factors_of(const float* factors, std::size_t count, const char* name) {
  if (count == 0) return {};
  require(factors, name, Argument::none);
  if (count > std::vector<float>().max_size())
    refuse(std::string(name) + " is too long", Argument::batch_count);
  return {factors, factors + count};
}

WaitList wait_list_of(cl_uint count, const cl_event* events) {
  if (count == 0) return {};
  require(events, "the wait list", Argument::wait_for);
  return {events, events + count};
}

}  // namespace clgemm::c_api
