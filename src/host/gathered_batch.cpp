#include "host/gathered_batch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/copy_lines.hpp"
#include "base/finished.hpp"
#include "base/handles.hpp"
#include "base/mapped.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

// The pinned memory for all operands of a part. This is a guess: the transfer of this much takes far longer
// than its launch, and a host has it to spare.
constexpr std::size_t most_elements = std::size_t{16} << 20;

Lines lines_of(const Operand& operand, std::size_t rows, std::size_t columns) {
  return stored_lines(operand.transposed, rows, columns, operand.ld);
}

// Matrices are aligned for every vector type.
std::size_t stride_of(const Lines& lines) {
  return round_up(lines.count * lines.length, 2 * widest_vector);
}

template <class Matrix>
bool all_same(const std::vector<Matrix*>& matrices) {
  return std::adjacent_find(matrices.begin(), matrices.end(), std::not_equal_to<>()) == matrices.end();
}

}  // namespace

Problem gathered_problem(const Problem& one, const Device& device, std::size_t count, bool one_a,
                         bool one_b) {
  Problem result = one;
  result.batch_count = count;
  const auto gather = [](Operand& operand, std::size_t rows, std::size_t columns, bool is_one) {
    const Lines lines = lines_of(operand, rows, columns);
    operand.ld = lines.length;
    operand.stride = is_one ? 0 : stride_of(lines);
  };
  gather(result.a, one.m, one.k, one_a);
  gather(result.b, one.k, one.n, one_b);
  gather(result.c, one.m, one.n, false);
  result.a.base_alignment = result.b.base_alignment = base_alignment(device);
  return result;
}

std::size_t most_gathered(const Problem& one) {
  const std::size_t each = stride_of(lines_of(one.a, one.m, one.k)) +
                           stride_of(lines_of(one.b, one.k, one.n)) +
                           stride_of(lines_of(one.c, one.m, one.n));
  return std::max<std::size_t>(most_elements / each, 1);
}

GatheredBatch::GatheredBatch(const GemmDevice& device)
    : context_(device.context),
      queue_(device.queue),
      mapping_(context_, cl::Device(device_of(queue_), true)) {}

GatheredBatch::~GatheredBatch() {
  for (Place* place : {&a_, &b_, &c_}) release(*place);
}

void GatheredBatch::release(Place& place) noexcept {
  if (place.memory == nullptr) return;
  unmap_before_release(mapping_, place.pinned, place.memory);
  clFinish(mapping_());
  assign(place, {});
}

void GatheredBatch::make(Place& place, std::size_t elements) {
  if (place.elements >= elements) return;
  release(place);
  const std::size_t bytes = elements * sizeof(float);
  Place made;
  made.on_device = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
  made.pinned = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  made.memory = static_cast<float*>(
      mapping_.enqueueMapBuffer(made.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
  made.elements = elements;
  assign(place, std::move(made));
}

template <class Matrix>
cl::Event GatheredBatch::send(Place& place, const Lines& lines, std::size_t stride, const Matrix* matrices,
                              std::size_t count) {
  const std::size_t different = stride == 0 ? 1 : count;
  const std::size_t step = stride_of(lines);
  make(place, different * step);
  for (std::size_t i = 0; i < different; ++i)
    copy_lines(place.memory + i * step, lines.length, matrices[i], lines.ld, lines.count, lines.length);
  cl::Event sent;
  queue_.enqueueWriteBuffer(place.on_device, CL_FALSE, 0, different * step * sizeof(float), place.memory,
                            nullptr, &sent);
  return sent;
}

void GatheredBatch::multiply(const GemmDevice& device, const HostBatch& batch, std::size_t first,
                             std::size_t count) {
  const Problem one = one_of(batch.problem);
  const Problem problem = gathered_problem(one, device.info, count, all_same(batch.a), all_same(batch.b));
  const Lines lines_of_c = lines_of(one.c, one.m, one.n);
  const std::size_t step_of_c = problem.c.stride;
  std::vector<cl::Event> commands;
  try {
    commands.push_back(send(a_, lines_of(one.a, one.m, one.k), problem.a.stride, &batch.a[first], count));
    commands.push_back(send(b_, lines_of(one.b, one.k, one.n), problem.b.stride, &batch.b[first], count));
    make(c_, count * step_of_c);
    if (problem.beta != 0.0f) commands.push_back(send(c_, lines_of_c, step_of_c, &batch.c[first], count));
    const Enqueued enqueued =
        device.enqueue({problem, {a_.on_device(), b_.on_device(), c_.on_device()}}, commands);
    commands.insert(commands.end(), enqueued.commands.begin(), enqueued.commands.end());
    cl::Event read;
    queue_.enqueueReadBuffer(c_.on_device, CL_TRUE, 0, count * step_of_c * sizeof(float), c_.memory, nullptr,
                             &read);
    commands.push_back(std::move(read));
    check_finished(commands);
  } catch (...) {
    clFinish(queue_());  // commands that are still running use this memory
    throw;
  }
  for (std::size_t i = 0; i < count; ++i)
    copy_lines(batch.c[first + i], lines_of_c.ld, c_.memory + i * step_of_c, lines_of_c.length,
               lines_of_c.count, lines_of_c.length);
}

}  // namespace clgemm
