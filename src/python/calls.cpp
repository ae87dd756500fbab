#include "python/calls.hpp"

#include <cstdint>

namespace py = pybind11;

namespace clgemm::python {
namespace {

bool is_on_device(py::handle object) {
  return PyObject_CheckBuffer(object.ptr()) == 0 && py::hasattr(object, "base_data");
}

Matrix matrix_of(py::handle object, const char* name) {
  if (is_on_device(object)) return OnDevice(object, name).matrix;
  return HostMatrix(object, name, Access::read).matrix();
}

// Whether all that lies between the first and the last element of the one is outside of the other.
bool lie_apart(const HostMatrix& x, const HostMatrix& y) {
  const auto range = [](const HostMatrix& host) {
    const Matrix& matrix = host.matrix();
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 1;
    for (const auto& [count, stride] :
         {std::pair(matrix.batch_count, matrix.batch_stride), std::pair(matrix.rows, matrix.row_stride),
          std::pair(matrix.columns, matrix.column_stride)}) {
      if (count == 0) return std::pair<std::intptr_t, std::intptr_t>(0, 0);
      const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(count - 1) * stride;
      (reach < 0 ? low : high) += reach;
    }
    const auto first = reinterpret_cast<std::intptr_t>(host.first());
    const auto bytes = static_cast<std::ptrdiff_t>(sizeof(float));
    return std::pair<std::intptr_t, std::intptr_t>(first + low * bytes, first + high * bytes);
  };
  const auto [x_begin, x_end] = range(x);
  const auto [y_begin, y_end] = range(y);
  return x_end <= y_begin || y_end <= x_begin;
}

// In a batch C must not share elements with any A or B; clgemm itself sees one multiply of it at a time.
void check_overlap_in_batch(py::handle c_object, const HostMatrix& c, py::handle object,
                            const HostMatrix& matrix) {
  if (lie_apart(c, matrix)) return;
  if (!py::cast<bool>(py::module_::import("numpy").attr("shares_memory")(c_object, object))) return;
  throw py::value_error(std::string("c overlaps ") + matrix.matrix().name +
                        ": c must not share elements with it");
}

std::vector<cl_event> events_of(py::handle wait_for) {
  std::vector<cl_event> events;
  if (wait_for.is_none()) return events;
  for (const py::handle event : py::reinterpret_borrow<py::object>(wait_for)) {
    events.push_back(static_cast<cl_event>(handle_of(event, "wait_for")));
  }
  return events;
}

}  // namespace

py::tuple result_shape(py::handle a, py::handle b, py::handle transpose_a, py::handle transpose_b) {
  const Arrangement call =
      shape_of_result(matrix_of(a, "a"), matrix_of(b, "b"), flag(transpose_a, "transpose_a"),
                      flag(transpose_b, "transpose_b"));
  if (call.is_batch) return py::make_tuple(call.batch_count, call.m, call.n);
  return py::make_tuple(call.m, call.n);
}

template <class Owner>
void multiply(Owner& owner, py::handle a_object, py::handle b_object, py::handle c_object,
              const Factors& factors, const Options& options) {
  const HostMatrix a(a_object, "a", Access::read);
  const HostMatrix b(b_object, "b", Access::read);
  const HostMatrix c(c_object, "c", Access::write);
  const float alpha = number(factors.alpha, "alpha");
  const float beta = number(factors.beta, "beta");
  const Arrangement call =
      arrange(a.matrix(), b.matrix(), c.matrix(), flag(factors.transpose_a, "transpose_a"),
              flag(factors.transpose_b, "transpose_b"));
  if (call.is_batch) {
    check_batch_of_c(call);
    check_overlap_in_batch(c_object, c, a_object, a);
    check_overlap_in_batch(c_object, c, b_object, b);
  }
  const py::gil_scoped_release released;
  for (std::size_t i = 0; i < call.batch_count; ++i) {
    owner.sgemm(call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k, alpha,
                a.first() + i * call.stride_a, call.lda, b.first() + i * call.stride_b, call.ldb, beta,
                c.first() + i * call.stride_c, call.ldc, options);
  }
}

template void multiply(Context& owner, py::handle a, py::handle b, py::handle c, const Factors& factors,
                       const Options& options);
template void multiply(DeviceSet& owner, py::handle a, py::handle b, py::handle c, const Factors& factors,
                       const Options& options);

cl_event enqueue(Context* context, py::handle queue_object, py::handle a_object, py::handle b_object,
                 py::handle c_object, const Factors& factors, py::handle wait_for, const Options& options) {
  const OnDevice a(a_object, "a");
  const OnDevice b(b_object, "b");
  const OnDevice c(c_object, "c");
  const float alpha = number(factors.alpha, "alpha");
  const float beta = number(factors.beta, "beta");
  const Arrangement call = arrange(a.matrix, b.matrix, c.matrix, flag(factors.transpose_a, "transpose_a"),
                                   flag(factors.transpose_b, "transpose_b"));
  auto* const queue = static_cast<cl_command_queue>(handle_of(queue_object, "queue"));
  const std::vector<cl_event> events = events_of(wait_for);
  const DeviceMatrix on_device_a{a.buffer, call.lda, a.offset};
  const DeviceMatrix on_device_b{b.buffer, call.ldb, b.offset};
  const DeviceMatrix on_device_c{c.buffer, call.ldc, c.offset};
  cl_event done = nullptr;
  const py::gil_scoped_release released;
  const auto run = [&](auto&& sgemm_strided_batched) {
    sgemm_strided_batched(queue, call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k,
                          alpha, on_device_a, call.stride_a, on_device_b, call.stride_b, beta, on_device_c,
                          call.stride_c, call.batch_count, events, &done, options);
  };
  if (context != nullptr) {
    run([&](auto&&... arguments) { context->sgemm_strided_batched(arguments...); });
  } else {
    run([](auto&&... arguments) { clgemm::sgemm_strided_batched(arguments...); });
  }
  return done;
}

}  // namespace clgemm::python
