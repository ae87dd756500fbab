// Reads Python's arrays as matrices: the places of their elements, and the errors of arrays that cannot be
// matrices.
#pragma once

#include <pybind11/pybind11.h>

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::python {

// The name of an argument in messages: "a", or "a[3]" in a list.
struct Name {
  Name(const char* name) : argument(name) {}
  Name(const char* name, std::size_t position) : argument(name), index(position) {}

  std::string text() const;

  const char* argument;
  std::optional<std::size_t> index;
};

// A matrix (2-D) or a batch (3-D), as an array has it; strides are in elements.
struct Matrix {
  Name name = "";
  bool is_batch = false;
  std::size_t batch_count = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t batch_stride = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
};

enum class Access { read, write };

// An array in the host's memory, held by the buffer protocol. Throws TypeError or ValueError if it is not an
// array of float32 with two or three dimensions, or if it must be written and is read-only.
class HostMatrix {
 public:
  HostMatrix(pybind11::handle object, Name name, Access access);
  ~HostMatrix() { PyBuffer_Release(&view_); }
  HostMatrix(const HostMatrix&) = delete;
  HostMatrix& operator=(const HostMatrix&) = delete;

  const Matrix& matrix() const { return matrix_; }
  float* first() const { return static_cast<float*>(view_.buf); }

 private:
  Py_buffer view_{};
  Matrix matrix_;
};

// An array in a device's memory: pyopencl.array.Array, or any object with its attributes `base_data`,
// `offset`, `shape`, `strides` (both in bytes) and `dtype`.
struct OnDevice {
  OnDevice(pybind11::handle object, Name name);

  Matrix matrix;
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // in elements
};

// Returns true for objects that OnDevice takes. An array of the host, which has the buffer protocol, is not
// one of them.
bool is_on_device(pybind11::handle object);

// Returns the items of a list or of any other sequence. Throws a TypeError with the argument's name if it is
// neither.
std::vector<pybind11::object> items_of(pybind11::handle list, const char* name);

// Returns the handle of an OpenCL object: the `int_ptr` of a wrapper, or an integer.
void* handle_of(pybind11::handle object, Name name);

// Convert arguments that are neither arrays nor handles. They throw a TypeError with the argument's name.
float number(pybind11::handle object, Name name);
bool flag(pybind11::handle object, const char* name);

// Returns the numbers of a list, or a single number.
std::vector<float> numbers(pybind11::handle object, const char* name);

}  // namespace clgemm::python
