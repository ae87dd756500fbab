#include "python/calls.hpp"

#include <cstdint>
#include <optional>

#include "python/interpreter.hpp"

namespace py = pybind11;

namespace clgemm::python {
namespace {

Matrix matrix_of(py::handle object, const char* name) {
  if (is_on_device(object)) return OnDevice(object, name).matrix;
  return HostMatrix(object, name, Access::read).matrix();
}

// Returns whether everything between the first and the last element of one matrix is outside of the other.
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

// Throws ValueError if C shares elements with an A or B of the batch. clgemm itself compares only neighbours
// in large batches.
void check_overlap_in_batch(py::handle c_object, const HostMatrix& c, py::handle object,
                            const HostMatrix& matrix) {
  if (lie_apart(c, matrix)) return;
  if (!py::cast<bool>(py::module_::import("numpy").attr("shares_memory")(c_object, object))) return;
  throw py::value_error(std::string("c overlaps ") + matrix.matrix().name.text() +
                        ": c must not share elements with a or b");
}

std::vector<cl_event> events_of(py::handle wait_for) {
  std::vector<cl_event> events;
  if (wait_for.is_none()) return events;
  for (const py::handle event : py::reinterpret_borrow<py::object>(wait_for)) {
    events.push_back(static_cast<cl_event>(handle_of(event, "wait_for")));
  }
  return events;
}

// `Owner` is a Context or a DeviceSet.
template <class Owner>
void multiply_host_matrices(Owner& owner, py::handle a_object, py::handle b_object, py::handle c_object,
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
  const ReleasedLock released;
  owner.sgemm_strided_batched(call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k, alpha,
                              a.first(), call.lda, call.stride_a, b.first(), call.ldb, call.stride_b, beta,
                              c.first(), call.ldc, call.stride_c, call.batch_count, options);
}

// An argument of a batch: a list of matrices, or one matrix for all.
class List {
 public:
  List(py::handle object, const char* name) : name_(name) {
    if (is_on_device(object)) {
      held_.emplace_back(object, name);
    } else {
      is_list_ = true;
      for (const py::object& item : items_of(object, name))
        held_.emplace_back(item, Name(name, held_.size()));
    }
  }

  // Returns the number of GEMMs in the list; nothing if the argument serves for any number.
  std::optional<std::size_t> count() const { return is_list_ ? std::optional(held_.size()) : std::nullopt; }

  // Throws ValueError if there is not one matrix for each of so many GEMMs.
  void demand(std::size_t gemms) const {
    if (!is_list_ || held_.size() == gemms) return;
    throw py::value_error(std::string(name_) + " has " + std::to_string(held_.size()) +
                          " matrices in a batch of " + std::to_string(gemms));
  }

  std::vector<Matrix> matrices() const {
    std::vector<Matrix> result;
    for (const OnDevice& one : held_) result.push_back(one.matrix);
    return result;
  }

  std::vector<DeviceMatrix> places(Layout order, std::size_t gemms) const {
    std::vector<DeviceMatrix> result;
    if (gemms == 0) return result;
    for (const OnDevice& one : held_)
      result.push_back({one.buffer, leading_dimension_in(one.matrix, order), one.offset});
    if (!is_list_) result.assign(gemms, DeviceMatrix(result.front()));
    return result;
  }

 private:
  const char* name_;
  bool is_list_ = false;
  std::vector<OnDevice> held_;
};

std::vector<float> numbers_for(py::handle object, const char* name, std::size_t gemms) {
  std::vector<float> result = numbers(object, name);
  if (result.size() == 1 || result.size() == gemms) return result;
  throw py::value_error(std::string(name) + " has " + std::to_string(result.size()) +
                        " numbers in a batch of " + std::to_string(gemms));
}

}  // namespace

py::tuple result_shape(py::handle a, py::handle b, py::handle transpose_a, py::handle transpose_b) {
  const Arrangement call =
      shape_of_result(matrix_of(a, "a"), matrix_of(b, "b"), flag(transpose_a, "transpose_a"),
                      flag(transpose_b, "transpose_b"));
  if (call.is_batch) return py::make_tuple(call.batch_count, call.m, call.n);
  return py::make_tuple(call.m, call.n);
}

py::tuple result_shape_of_lists(py::handle a_object, py::handle b_object, py::handle transpose_a,
                                py::handle transpose_b) {
  const List a(a_object, "a");
  const List b(b_object, "b");
  const std::optional<std::size_t> count = a.count() ? a.count() : b.count();
  if (!count) throw py::type_error("a must be a list, because b is not a list and there is no c");
  b.demand(*count);
  if (*count == 0) return py::make_tuple(0, 0, 0);
  const Arrangement call =
      shape_of_result(a.matrices().front(), b.matrices().front(), flag(transpose_a, "transpose_a"),
                      flag(transpose_b, "transpose_b"));
  return py::make_tuple(*count, call.m, call.n);
}

void multiply(Context& owner, py::handle a, py::handle b, py::handle c, const Factors& factors,
              const Options& options) {
  multiply_host_matrices(owner, a, b, c, factors, options);
}

void multiply(DeviceSet& owner, py::handle a, py::handle b, py::handle c, const Factors& factors,
              const Options& options) {
  multiply_host_matrices(owner, a, b, c, factors, options);
}

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
  const ReleasedLock released;
  const auto run = [&](auto&& sgemm_strided_batched) {
    sgemm_strided_batched(queue, call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k,
                          alpha, on_device_a, call.stride_a, on_device_b, call.stride_b, beta, on_device_c,
                          call.stride_c, call.batch_count, events, &done, options);
  };
  if (context != nullptr) {
    run([&](auto&&... arguments) { context->sgemm_strided_batched(arguments...); });
  } else {
    run([&](auto&&... arguments) { context_for(queue)->sgemm_strided_batched(arguments...); });
  }
  return done;
}

cl_event enqueue_lists(Context* context, py::handle queue_object, py::handle a_object, py::handle b_object,
                       py::handle c_object, const Factors& factors, py::handle wait_for,
                       const Options& options) {
  const List a(a_object, "a");
  const List b(b_object, "b");
  const List c(c_object, "c");
  if (!c.count()) throw py::type_error("c must be a list");
  const std::size_t count = *c.count();
  a.demand(count);
  b.demand(count);
  const std::vector<float> alphas = numbers_for(factors.alpha, "alpha", count);
  const std::vector<float> betas = numbers_for(factors.beta, "beta", count);
  const bool transpose_a = flag(factors.transpose_a, "transpose_a");
  const bool transpose_b = flag(factors.transpose_b, "transpose_b");
  const Arrangement call = count == 0
                               ? Arrangement()
                               : arrange(a.matrices(), b.matrices(), c.matrices(), transpose_a, transpose_b);
  auto* const queue = static_cast<cl_command_queue>(handle_of(queue_object, "queue"));
  const std::vector<cl_event> events = events_of(wait_for);
  const std::vector<DeviceMatrix> places_a = a.places(call.order_of_a, count);
  const std::vector<DeviceMatrix> places_b = b.places(call.order_of_b, count);
  const std::vector<DeviceMatrix> places_c = c.places(call.layout, count);
  cl_event done = nullptr;
  const ReleasedLock released;
  const auto run = [&](auto&& sgemm_batched) {
    sgemm_batched(queue, call.layout, call.transpose_a, call.transpose_b, call.m, call.n, call.k, alphas,
                  places_a, places_b, betas, places_c, events, &done, options);
  };
  if (context != nullptr) {
    run([&](auto&&... arguments) { context->sgemm_batched(arguments...); });
  } else {
    run([&](auto&&... arguments) { context_for(queue)->sgemm_batched(arguments...); });
  }
  return done;
}

}  // namespace clgemm::python
