#include "python/matrices.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace py = pybind11;

namespace clgemm::python {
namespace {

constexpr std::ptrdiff_t element = sizeof(float);
constexpr bool is_little_endian = std::endian::native == std::endian::little;

std::string type_name(py::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

[[noreturn]] void throw_wrong_type(const Name& name, const std::string& what) {
  throw py::type_error(name.text() + " must be an array of float32, not " + what);
}

std::ptrdiff_t in_elements(std::ptrdiff_t bytes, const Name& name) {
  if (bytes % element == 0) return bytes / element;
  throw py::value_error(name.text() + " has a stride or offset of " + std::to_string(bytes) +
                        " bytes, which is not a multiple of 4, the size of an element");
}

// Makes a matrix from an array's last dimensions; `strides` are in bytes.
Matrix make_matrix(const Name& name, std::size_t dimensions, const py::ssize_t* shape,
                   const py::ssize_t* strides) {
  if (dimensions != 2 && dimensions != 3) {
    throw py::value_error(name.text() + " must have two dimensions, or three for a batch, not " +
                          std::to_string(dimensions));
  }
  Matrix matrix;
  matrix.name = name;
  matrix.is_batch = dimensions == 3;
  if (matrix.is_batch) {
    matrix.batch_count = static_cast<std::size_t>(*shape++);
    matrix.batch_stride = in_elements(*strides++, name);
    if (matrix.batch_stride < 0 && matrix.batch_count > 1) {
      throw py::value_error(name.text() + " has a negative stride from one matrix to the next");
    }
  }
  matrix.rows = static_cast<std::size_t>(shape[0]);
  matrix.columns = static_cast<std::size_t>(shape[1]);
  matrix.row_stride = in_elements(strides[0], name);
  matrix.column_stride = in_elements(strides[1], name);
  return matrix;
}

// Returns whether the format is the struct module's format of this machine's float32.
bool is_float32(const char* format) {
  if (format == nullptr) return false;
  const bool has_order = std::strchr("@=<", *format) != nullptr && *format != '\0';
  return std::strcmp(has_order ? format + 1 : format, "f") == 0;
}

std::string dtype_of(py::handle object) {
  if (!py::hasattr(object, "dtype")) return "";
  return py::str(object.attr("dtype"));
}

// Returns whether numpy's type of the object is float32 in this machine's byte order.
bool has_float32(py::handle object) {
  const py::object type = py::getattr(object, "dtype", py::none());
  const py::object code = py::getattr(type, "str", py::none());
  return PyUnicode_Check(code.ptr()) != 0 &&
         PyUnicode_CompareWithASCIIString(code.ptr(), is_little_endian ? "<f4" : ">f4") == 0;
}

std::vector<py::ssize_t> integers(py::handle sequence, const Name& name) {
  std::vector<py::ssize_t> result;
  for (const py::handle item : py::reinterpret_borrow<py::object>(sequence)) {
    const py::ssize_t value = PyNumber_AsSsize_t(item.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw py::type_error(name.text() + " has a shape or strides that are not integers");
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace

std::string Name::text() const {
  if (!index) return argument;
  return std::string(argument) + "[" + std::to_string(*index) + "]";
}

HostMatrix::HostMatrix(py::handle object, Name name, Access access) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) throw_wrong_type(name, type_name(object));
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    throw_wrong_type(name, type_name(object) + " " + dtype_of(object));
  }
  try {
    if (!is_float32(view_.format)) {
      const std::string dtype = dtype_of(object);
      throw_wrong_type(name, dtype.empty() ? std::string("items '") + view_.format + "'" : dtype);
    }
    if (access == Access::write && view_.readonly != 0) {
      throw py::value_error(name.text() + " is read-only, but the result must be written to it");
    }
    if (reinterpret_cast<std::uintptr_t>(view_.buf) % sizeof(float) != 0) {
      throw py::value_error(name.text() +
                            " has an address that is not a multiple of 4, the size of an element in bytes");
    }
    matrix_ = make_matrix(name, static_cast<std::size_t>(view_.ndim), view_.shape, view_.strides);
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

OnDevice::OnDevice(py::handle object, Name name) {
  // Lists of thousands of these are common, so each attribute of a valid array is read only once.
  const py::object memory = py::getattr(object, "base_data", py::object());
  const py::object strides_there = py::getattr(object, "strides", py::object());
  if (!memory || !strides_there) {
    throw py::type_error(name.text() +
                         " must be in a device's memory (a pyopencl array or a clgemm.DeviceMatrix), not " +
                         type_name(object));
  }
  if (!has_float32(object)) throw_wrong_type(name, dtype_of(object));
  const std::vector<py::ssize_t> shape = integers(object.attr("shape"), name);
  const std::vector<py::ssize_t> strides = integers(strides_there, name);
  if (shape.size() != strides.size()) {
    throw py::value_error(name.text() +
                          " must have as many strides as dimensions, or neither strides nor dimensions");
  }
  matrix = make_matrix(name, shape.size(), shape.data(), strides.data());
  const auto bytes = py::cast<std::ptrdiff_t>(object.attr("offset"));
  if (bytes < 0) throw py::value_error(name.text() + " has a negative offset");
  offset = static_cast<std::size_t>(in_elements(bytes, name));
  if (!memory.is_none()) buffer = static_cast<cl_mem>(handle_of(memory, name));
}

bool is_on_device(py::handle object) {
  return PyObject_CheckBuffer(object.ptr()) == 0 && py::hasattr(object, "base_data");
}

std::vector<py::object> items_of(py::handle list, const char* name) {
  if (PySequence_Check(list.ptr()) == 0) {
    throw py::type_error(std::string(name) + " must be a list, not " + type_name(list));
  }
  std::vector<py::object> items;
  for (const py::handle item : py::reinterpret_borrow<py::object>(list))
    items.push_back(py::reinterpret_borrow<py::object>(item));
  return items;
}

void* handle_of(py::handle object, Name name) {
  const py::object address = PyLong_Check(object.ptr()) != 0 ? py::reinterpret_borrow<py::object>(object)
                                                             : py::getattr(object, "int_ptr", py::none());
  if (address.is_none()) {
    throw py::type_error(name.text() +
                         " must be an OpenCL object with int_ptr (such as those of PyOpenCL), not " +
                         type_name(object));
  }
  void* const handle = PyLong_AsVoidPtr(address.ptr());
  if (handle == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return handle;
}

float number(py::handle object, Name name) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::type_error(name.text() + " must be a number, not " + type_name(object));
  }
  return static_cast<float>(value);
}

bool flag(py::handle object, const char* name) {
  if (object.ptr() == Py_True) return true;
  if (object.ptr() == Py_False) return false;
  const std::string type = type_name(object);  // numpy's own: numpy.bool_, numpy.bool
  if (type.rfind("numpy.bool", 0) == 0) return PyObject_IsTrue(object.ptr()) == 1;
  throw py::type_error(std::string(name) + " must be True or False, not " + type);
}

std::vector<float> numbers(py::handle object, const char* name) {
  const bool has_length = PyObject_Size(object.ptr()) >= 0;  // numpy scalars and 0-d arrays have none
  PyErr_Clear();
  if (!has_length) return {number(object, name)};
  std::vector<float> result;
  for (const py::object& item : items_of(object, name)) result.push_back(number(item, {name, result.size()}));
  return result;
}

}  // namespace clgemm::python
