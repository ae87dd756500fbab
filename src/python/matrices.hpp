// Python's arrays as matrices: where their elements lie, and what is wrong with those that cannot be one.
#pragma once

#include <pybind11/pybind11.h>

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::python {

// What messages call an argument: "a", or "a[3]" of a list.
struct Name {
  Name(const char* name) : argument(name) {}
  Name(const char* name, std::size_t position) : argument(name), index(position) {}

  std::string text() const;

  const char* argument;
  std::optional<std::size_t> index;
};

// A matrix (2-D) or a batch of them (3-D) as an array has it; strides in elements.
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

// An array in the host's memory, held by the buffer protocol. Throws TypeError or ValueError where it is not
// an array of float32 with two or three dimensions, or is read-only where it is to be written.
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

// An array in a device's memory: pyopencl.array.Array, or whatever has its attributes `base_data`, `offset`,
// `shape`, `strides` (both in bytes) and `dtype`.
struct OnDevice {
  OnDevice(pybind11::handle object, Name name);

  Matrix matrix;
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  // in elements
};

// True of what OnDevice takes; an array of the host, which has the buffer protocol, is none.
bool is_on_device(pybind11::handle object);

// What a list holds, or any other sequence. Throws TypeError with the argument's name where it is none.
std::vector<pybind11::object> items_of(pybind11::handle list, const char* name);

// The handle that an OpenCL object of a wrapper has as `int_ptr`, or that an integer is.
void* handle_of(pybind11::handle object, Name name);

// The arguments that are neither arrays nor handles. Throw TypeError with the argument's name.
float number(pybind11::handle object, Name name);
bool flag(pybind11::handle object, const char* name);

// A number, or a list of them.
std::vector<float> numbers(pybind11::handle object, const char* name);

}  // namespace clgemm::python
