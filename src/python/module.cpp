// clgemm._native, which the Python files of clgemm/ call. It takes Python objects of any type and checks
// them.
#include <pybind11/stl.h>

#include "python/calls.hpp"
#include "python/interpreter.hpp"

namespace py = pybind11;

namespace clgemm::python {
namespace {

// An OpenCL event made by clgemm, for users without a wrapper that has a class for events.
class Event {
 public:
  explicit Event(std::uintptr_t handle) : event_(reinterpret_cast<cl_event>(handle)) {}
  ~Event() {
    if (event_ != nullptr) clReleaseEvent(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  std::uintptr_t handle() const { return reinterpret_cast<std::uintptr_t>(event_); }

  void wait() const {
    const cl_int status = [this] {
      const ReleasedLock released;
      return clWaitForEvents(1, &event_);
    }();
    if (status != CL_SUCCESS) {
      throw Error(ErrorCode::opencl_error, "the GEMM failed: clWaitForEvents: " + std::to_string(status));
    }
  }

 private:
  cl_event event_;
};

Precision parse_precision(const std::string& name) {
  if (name == "fp32_equivalent") return Precision::fp32_equivalent;
  if (name == "fp32") return Precision::fp32;
  throw py::value_error("precision must be 'fp32_equivalent' or 'fp32', not '" + name + "'");
}

const char* precision_name(Precision precision) {
  return precision == Precision::fp32 ? "fp32" : "fp32_equivalent";
}

Options make_options(const std::string& kernel, const std::map<std::string, std::int64_t>& parameters,
                     const std::string& kernel_file, const std::string& kernel_folder,
                     const std::string& precision, std::size_t scratch_limit, std::size_t device_memory_limit,
                     bool host_matrices_are_pinned, py::handle scratch) {
  Options options;
  options.kernel = kernel;
  options.parameters = parameters;
  options.kernel_file = kernel_file;
  options.kernel_folder = kernel_folder;
  options.precision = parse_precision(precision);
  options.scratch_limit = scratch_limit;
  options.device_memory_limit = device_memory_limit;
  options.host_matrices_are_pinned = host_matrices_are_pinned;
  if (!scratch.is_none()) options.scratch = static_cast<cl_mem>(handle_of(scratch, "scratch"));
  return options;
}

SgemmShape make_shape(std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b,
                      bool column_major, std::size_t batch_count, bool one_a, bool one_b) {
  SgemmShape shape;
  shape.layout = column_major ? Layout::column_major : Layout::row_major;
  shape.transpose_a = transpose_a ? Transpose::yes : Transpose::no;
  shape.transpose_b = transpose_b ? Transpose::yes : Transpose::no;
  shape.m = m;
  shape.n = n;
  shape.k = k;
  shape.batch_count = batch_count;
  shape.stride_a = one_a ? 0 : m * k;
  shape.stride_b = one_b ? 0 : k * n;
  return shape;
}

// Returns the arguments that make Options equal to these. Those with a default value are left out.
py::dict arguments_of(const Options& options) {
  const Options initial;
  py::dict arguments;
  const auto add = [&arguments](const char* name, const auto& value, const auto& initial_value) {
    if (value != initial_value) arguments[name] = value;
  };
  add("kernel", options.kernel, initial.kernel);
  add("parameters", options.parameters, initial.parameters);
  add("kernel_file", options.kernel_file, initial.kernel_file);
  add("kernel_folder", options.kernel_folder, initial.kernel_folder);
  if (options.precision != initial.precision) arguments["precision"] = precision_name(options.precision);
  add("scratch_limit", options.scratch_limit, initial.scratch_limit);
  add("device_memory_limit", options.device_memory_limit, initial.device_memory_limit);
  add("host_matrices_are_pinned", options.host_matrices_are_pinned, initial.host_matrices_are_pinned);
  add("scratch", reinterpret_cast<std::uintptr_t>(options.scratch), std::uintptr_t{0});
  return arguments;
}

std::string representation(const Options& options) {
  std::string text;
  for (const auto& [name, value] : arguments_of(options)) {
    text += text.empty() ? "" : ", ";
    text += std::string(py::str(name)) + "=" + std::string(py::repr(value));
  }
  return "clgemm.Options(" + text + ")";
}

bool are_equal(const Options& options, const Options& others) {
  return arguments_of(options).equal(arguments_of(others));
}

// Returns the parts for pickle. A scratch buffer belongs to this process.
py::tuple parts_of(const Options& options) {
  if (options.scratch != nullptr)
    throw py::type_error("options with a scratch buffer cannot be passed to another process");
  return py::make_tuple(py::module_::import("clgemm._calls").attr("make_options"),
                        py::make_tuple(arguments_of(options)));
}

// The names in the order of Argument. Python has no leading dimensions: the arrays have them.
constexpr const char* argument_names[] = {"",  "order", "transpose_a", "transpose_b", "m",        "n",
                                          "k", "a",     "a",           "b",           "b",        "c",
                                          "c", "c",     "batch_count", "queue",       "wait_for", "options"};
static_assert(std::size(argument_names) == static_cast<std::size_t>(Argument::options) + 1);

// Throws the Python exception for the kind of error (clgemm/_errors.py).
void throw_as_python(const Error& error) {
  const py::object make = py::module_::import("clgemm._errors").attr("make");
  const py::tuple arguments = py::make_tuple(to_string(error.code()), error.what(),
                                             argument_names[static_cast<std::size_t>(error.argument())]);
  const auto raised = py::reinterpret_steal<py::object>(call(make, arguments));
  if (!raised) throw py::error_already_set();
  PyErr_SetObject(py::type::handle_of(raised).ptr(), raised.ptr());
}

std::string name_of(cl_device_id device) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string name(size, '\0');
  if (clGetDeviceInfo(device, CL_DEVICE_NAME, size, name.data(), nullptr) != CL_SUCCESS) return "";
  return name.c_str();
}

void define_values(py::module_& module) {
  py::class_<Options>(module, "Options", R"(Options of a call. By default, clgemm chooses.

`kernel`                    A kernel by its name ("tiled"), its variant ("float8") or its file ("./mine.cl"). Empty means
                            that clgemm chooses.
`parameters`                Values of that kernel's parameters by name. All other parameters have their default values.
`kernel_file`               The path of a kernel's file, instead of `kernel`.
`kernel_folder`             A folder in which kernels are searched before the built-in ones.
`precision`                 "fp32_equivalent" allows any method whose error bound is no worse than that of fp32. "fp32"
                            allows only fp32 units.
`scratch_limit`             The most device memory, in bytes, that packed copies may need in one call. 0 means that
                            clgemm chooses.
`device_memory_limit`       For host arrays: the most device memory, in bytes, that a call may hold. Larger matrices
                            are processed in parts. 0 means CLGEMM_DEVICE_MEMORY_MIB if it is set, or else three
                            quarters of the device's memory.
`host_matrices_are_pinned`  For host arrays: True if all three are in memory that is pinned for the device.
`scratch`                   A pyopencl.Buffer (or its handle) of any size for those copies. scratch_bytes() returns
                            the size that a call needs. No other call may use the buffer until this one is complete.
                            None means that clgemm uses its own memory.)")
      .def(py::init(&make_options), py::kw_only(), py::arg("kernel") = "",
           py::arg("parameters") = std::map<std::string, std::int64_t>(), py::arg("kernel_file") = "",
           py::arg("kernel_folder") = "", py::arg("precision") = "fp32_equivalent",
           py::arg("scratch_limit") = 0, py::arg("device_memory_limit") = 0,
           py::arg("host_matrices_are_pinned") = false, py::arg("scratch") = py::none(),
           py::keep_alive<1, 10>())
      .def("__repr__", &representation)
      .def(
          "__eq__",
          [](const Options& options, py::handle other) -> py::object {
            if (!py::isinstance<Options>(other)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
            return py::bool_(are_equal(options, other.cast<const Options&>()));
          },
          py::arg("other"))
      .def("__hash__", [](const Options& options) { return py::hash(py::str(representation(options))); })
      // A copy keeps the same object alive that keeps the scratch buffer alive.
      .def(
          "__copy__", [](const Options& options) { return options; }, py::keep_alive<0, 1>())
      .def(
          "__deepcopy__", [](const Options& options, py::handle) { return options; }, py::keep_alive<0, 1>(),
          py::arg("memo"))
      .def("__reduce__", &parts_of)
      .def_readonly("kernel", &Options::kernel)
      .def_readonly("parameters", &Options::parameters)
      .def_readonly("kernel_file", &Options::kernel_file)
      .def_readonly("kernel_folder", &Options::kernel_folder)
      .def_readonly("scratch_limit", &Options::scratch_limit)
      .def_readonly("device_memory_limit", &Options::device_memory_limit)
      .def_readonly("host_matrices_are_pinned", &Options::host_matrices_are_pinned)
      .def_property_readonly(
          "scratch", [](const Options& options) { return reinterpret_cast<std::uintptr_t>(options.scratch); })
      .def_property_readonly("precision",
                             [](const Options& options) { return precision_name(options.precision); });
  py::class_<SgemmShape>(module, "Shape")
      .def(py::init(&make_shape), py::arg("m"), py::arg("n"), py::arg("k"), py::arg("transpose_a"),
           py::arg("transpose_b"), py::arg("column_major"), py::arg("batch_count"), py::arg("one_a"),
           py::arg("one_b"));
  py::class_<Event>(module, "Event", "Completes when C is complete. It owns the OpenCL event `int_ptr`.")
      .def(py::init<std::uintptr_t>(), py::arg("int_ptr"))
      .def_property_readonly("int_ptr", &Event::handle)
      .def("wait", &Event::wait, "Returns when C is complete.");
}

template <class Owner>
void multiply_with(Owner& owner, py::handle a, py::handle b, py::handle c, py::handle alpha, py::handle beta,
                   py::handle transpose_a, py::handle transpose_b, const Options& options) {
  multiply(owner, a, b, c, {alpha, beta, transpose_a, transpose_b}, options);
}

template <auto enqueue_some>
std::uintptr_t enqueue_with(Context* context, py::handle queue, py::handle a, py::handle b, py::handle c,
                            py::handle alpha, py::handle beta, py::handle transpose_a, py::handle transpose_b,
                            py::handle wait_for, const Options& options) {
  return reinterpret_cast<std::uintptr_t>(
      enqueue_some(context, queue, a, b, c, {alpha, beta, transpose_a, transpose_b}, wait_for, options));
}

// Calls a method of Context that answers a question about a call.
template <auto method, class Asked>
auto asked(Context& owner, const Asked& call, const Options& options) {
  return (owner.*method)(call, options);
}

std::vector<std::string> names_of(const DeviceSet& devices) {
  std::vector<std::string> names;
  for (cl_device_id device : devices.devices()) names.push_back(name_of(device));
  return names;
}

void define_context(py::module_& module) {
  using Released = py::call_guard<ReleasedLock>;
  const auto own = [](auto device) { return std::make_unique<Context>(device); };
  py::class_<Context>(module, "Context")
      .def(py::init<>(), Released())
      .def(py::init<const std::string&>(), Released(), py::arg("device"))
      .def_static(
          "of_device",
          [own](py::handle device) { return own(static_cast<cl_device_id>(handle_of(device, "device"))); })
      .def_static(
          "of_queue",
          [own](py::handle queue) { return own(static_cast<cl_command_queue>(handle_of(queue, "queue"))); })
      .def("multiply", &multiply_with<Context>)
      .def("prepare", &asked<&Context::prepare, std::vector<SgemmShape>>, Released(), py::arg("shapes"),
           py::arg("options"))
      .def("explain", &asked<&Context::explain, SgemmShape>, Released(), py::arg("shape"), py::arg("options"))
      .def("explain_host", &asked<&Context::explain_host, SgemmShape>, Released(), py::arg("shape"),
           py::arg("options"))
      .def("scratch_bytes", &asked<&Context::sgemm_scratch_bytes, SgemmShape>, Released(), py::arg("shape"),
           py::arg("options"))
      .def("predicted_seconds", &asked<&Context::predicted_seconds, SgemmShape>, Released(), py::arg("shape"),
           py::arg("options"))
      .def("device_name", [](Context& owner) { return name_of(owner.device()); });
  py::class_<DeviceSet>(module, "DeviceSet")
      .def(py::init<const std::string&>(), Released(), py::arg("devices"))
      .def("multiply", &multiply_with<DeviceSet>)
      .def("explain_host", &DeviceSet::explain_host, Released(), py::arg("shape"), py::arg("options"))
      .def("device_names", &names_of);
}

}  // namespace
}  // namespace clgemm::python

PYBIND11_MODULE(_native, module) {
  using namespace clgemm::python;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const clgemm::Error& error) {
      throw_as_python(error);
    }
  });
  define_values(module);
  define_context(module);
  module.def("result_shape", &result_shape);
  module.def("result_shape_of_lists", &result_shape_of_lists);
  module.def("enqueue", &enqueue_with<enqueue>);
  module.def("enqueue_lists", &enqueue_with<enqueue_lists>);
  module.def("release_contexts", &clgemm::release_contexts);
}
