#include "blas/batch_memory.hpp"

#include <algorithm>
#include <exception>

#include "base/copy_lines.hpp"
#include "base/finished.hpp"
#include "base/mapped.hpp"

namespace clgemm::blas {
namespace {

// Of pinned memory for all operands of a part. A guess: the transfer of so much takes longer than its launch
// by far, and nobody misses it.
constexpr std::size_t most_elements = std::size_t{16} << 20;

// Matrices begin where any vector may.
constexpr std::size_t alignment = 32;  // elements

template <class Matrix>
bool all_same(const std::vector<Matrix*>& matrices) {
  return std::adjacent_find(matrices.begin(), matrices.end(), std::not_equal_to<>()) == matrices.end();
}

Transpose transpose(bool transposed) {
  return transposed ? Transpose::yes : Transpose::no;
}

}  // namespace

std::size_t BatchMemory::Side::stride() const {
  return (lines * length + alignment - 1) / alignment * alignment;
}

// Column-major: lines are columns, where it is not transposed.
BatchMemory::Side BatchMemory::side_of(bool transposed, std::int64_t rows, std::int64_t columns,
                                       std::int64_t ld, bool is_one_for_all) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  return {size(transposed ? rows : columns), size(transposed ? columns : rows), size(ld), is_one_for_all};
}

BatchMemory::BatchMemory(const Context& context)
    : context_(context.context(), true), queue_(context_, cl::Device(context.device(), true)) {}

BatchMemory::~BatchMemory() {
  for (Place* place : {&a_, &b_, &c_}) release(*place);
}

void BatchMemory::release(Place& place) noexcept {
  if (place.memory != nullptr) unmap_before_release(queue_, place.pinned, place.memory);
  clFinish(queue_());
  place = {};
}

void BatchMemory::make(Place& place, std::size_t elements) {
  if (place.elements >= elements) return;
  release(place);
  const std::size_t bytes = elements * sizeof(float);
  place.pinned = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  place.on_device = cl::Buffer(context_, CL_MEM_READ_WRITE, bytes);
  place.memory = static_cast<float*>(
      queue_.enqueueMapBuffer(place.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
  place.elements = elements;
}

template <class Matrix>
cl::Event BatchMemory::send(Place& place, const Side& side, const Matrix* matrices, std::size_t count) {
  for (std::size_t i = 0; i < (side.is_one_for_all ? 1 : count); ++i)
    copy_lines(place.memory + i * side.stride(), side.length, matrices[i], side.ld, side.lines, side.length);
  cl::Event sent;
  queue_.enqueueWriteBuffer(place.on_device, CL_FALSE, 0, side.elements(count) * sizeof(float), place.memory,
                            nullptr, &sent);
  return sent;
}

std::size_t BatchMemory::part_of(const Batch& batch) {
  const Call& call = batch.shape;
  const std::size_t each = side_of(call.transpose_a, call.m, call.k, call.lda, false).stride() +
                           side_of(call.transpose_b, call.k, call.n, call.ldb, false).stride() +
                           side_of(false, call.m, call.n, call.ldc, false).stride();
  return std::clamp<std::size_t>(most_elements / each, 1, batch.count());
}

SgemmShape BatchMemory::shape_of(const Batch& batch) {
  const Call& call = batch.shape;
  const Side a = side_of(call.transpose_a, call.m, call.k, call.lda, all_same(batch.a));
  const Side b = side_of(call.transpose_b, call.k, call.n, call.ldb, all_same(batch.b));
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  SgemmShape shape{Layout::column_major,
                   transpose(call.transpose_a),
                   transpose(call.transpose_b),
                   size(call.m),
                   size(call.n),
                   size(call.k)};
  shape.lda = a.length;
  shape.ldb = b.length;
  shape.ldc = size(call.m);
  shape.batch_count = part_of(batch);
  shape.stride_a = a.step();
  shape.stride_b = b.step();
  return shape;
}

void BatchMemory::multiply(Context& context, const Batch& batch, std::size_t& done, const Options& options) {
  const std::size_t part = part_of(batch);
  for (done = 0; done < batch.count();) {
    const std::size_t count = std::min(part, batch.count() - done);
    multiply_part(context, batch, done, count, options);
    done += count;
  }
}

void BatchMemory::multiply_part(Context& context, const Batch& batch, std::size_t first, std::size_t count,
                                const Options& options) {
  const Call& call = batch.shape;
  const Side a = side_of(call.transpose_a, call.m, call.k, call.lda, all_same(batch.a));
  const Side b = side_of(call.transpose_b, call.k, call.n, call.ldb, all_same(batch.b));
  const Side c = side_of(false, call.m, call.n, call.ldc, false);
  make(a_, a.elements(count));
  make(b_, b.elements(count));
  make(c_, c.elements(count));
  try {
    std::vector<cl::Event> commands = {send(a_, a, &batch.a[first], count),
                                       send(b_, b, &batch.b[first], count)};
    if (call.beta != 0.0f) commands.push_back(send(c_, c, &batch.c[first], count));
    WaitList sent;
    for (const cl::Event& event : commands) sent.push_back(event());
    cl_event multiplied = nullptr;
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    context.sgemm_strided_batched(queue_(), Layout::column_major, transpose(call.transpose_a),
                                  transpose(call.transpose_b), size(call.m), size(call.n), size(call.k),
                                  call.alpha, {a_.on_device(), a.length}, a.step(),
                                  {b_.on_device(), b.length}, b.step(), call.beta, {c_.on_device(), c.length},
                                  c.stride(), count, sent, &multiplied, options);
    commands.emplace_back(multiplied);
    cl::Event read;
    queue_.enqueueReadBuffer(c_.on_device, CL_TRUE, 0, c.elements(count) * sizeof(float), c_.memory, nullptr,
                             &read);
    commands.push_back(std::move(read));
    check_finished(commands);
  } catch (...) {
    clFinish(queue_());  // what is on its way reads the memory that the next call fills
    throw;
  }
  for (std::size_t i = 0; i < count; ++i)
    copy_lines(batch.c[first + i], c.ld, c_.memory + i * c.stride(), c.length, c.lines, c.length);
}

}  // namespace clgemm::blas
