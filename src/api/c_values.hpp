// Converts the types of clgemm.h to those of clgemm.hpp. Checks what C adds: null pointers, enumerators,
// sizes of structs. Throws Error.
#pragma once

#include <clgemm/clgemm.h>

#include <clgemm/clgemm.hpp>
#include <string>
#include <vector>

namespace clgemm::c_api {

[[noreturn]] void refuse(const std::string& text, Argument argument = Argument::none);

template <class Pointer>
void require(Pointer pointer, const char* name, Argument argument = Argument::none) {
  if (pointer == nullptr) refuse(std::string(name) + " is null", argument);
}

Layout layout_of(clgemm_layout layout);
Transpose transpose_of(clgemm_transpose transpose, Argument argument);
Options options_of(const clgemm_options* options);
SgemmShape shape_of(const clgemm_shape* shape);
DeviceMatrix matrix_of(const clgemm_matrix& matrix);
DeviceMatrix matrix_of(const clgemm_shared_matrix& matrix);
std::vector<DeviceMatrix> matrices_of(const clgemm_matrix* matrices, std::size_t count, const char* name,
                                      Argument argument);
// Lists of host matrices.
template <class Matrix>
std::vector<Matrix*> pointers_of(Matrix* const* matrices, std::size_t count, const char* name,
                                 Argument argument) {
  if (count == 0) return {};
  require(matrices, name, argument);
  if (count > std::vector<Matrix*>().max_size())
    refuse(std::string(name) + " is too long", Argument::batch_count);
  return {matrices, matrices + count};
}

std::vector<float> factors_of(const float* factors, std::size_t count, const char* name);
WaitList wait_list_of(cl_uint count, const cl_event* events);

}  // namespace clgemm::c_api
