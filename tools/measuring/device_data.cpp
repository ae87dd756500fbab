#include "measuring/device_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace clgemm::bench {
namespace {

cl::Buffer allocate(const cl::CommandQueue& queue, std::size_t elements) {
  return {queue.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE, elements * sizeof(float)};
}

cl::Buffer upload(const cl::CommandQueue& queue, const std::vector<float>& matrix) {
  cl::Buffer buffer = allocate(queue, matrix.size());
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, matrix.size() * sizeof(float), matrix.data());
  return buffer;
}

// Returns the matrix with the guarded memory before it.
std::vector<float> in_larger(std::vector<float> matrix, const Lines& lines) {
  matrix.insert(matrix.begin(), offset_of(lines), guard_element());
  return matrix;
}

}  // namespace

void check_fits(const Device& device, const SgemmCall& call) {
  const Extents extents = check_call(call);
  const std::size_t largest = std::max({extents.a, extents.b, extents.c});
  if (largest <= device.max_allocation_bytes / sizeof(float)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{} x {} x {}: a matrix of {} elements (with gaps) is larger than the largest "
                          "buffer of '{}', {} bytes",
                          call.m, call.n, call.k, largest, device.name, device.max_allocation_bytes));
}

DeviceData::DeviceData(const cl::CommandQueue& queue, const HostData& host, std::size_t copies)
    : host_(host), queue_(queue), busy_device_(queue) {
  StoredMatrices stored = as_stored(host);
  stored.c.resize(stored.c.size() + guard_elements(call()), guard_element());
  stored.a = in_larger(std::move(stored.a), lines_of_a(call()));
  stored.b = in_larger(std::move(stored.b), lines_of_b(call()));
  stored.c = in_larger(std::move(stored.c), lines_of_c(call()));
  original_c_ = upload(queue, stored.c);
  for (std::size_t copy = 0; copy < copies; ++copy) {
    copies_.push_back({upload(queue, stored.a), upload(queue, stored.b), allocate(queue, stored.c.size())});
  }
}

const StoredMatrices& DeviceData::stored() const {
  if (!stored_) stored_ = as_stored(host_);
  return *stored_;
}

void DeviceData::restore_c() const {
  queue_.enqueueCopyBuffer(original_c_, copies_[current_].c, 0, 0, original_c_.getInfo<CL_MEM_SIZE>());
  wait_for_c();
}

void DeviceData::wait_for_c() const {
  float element = 0.0f;
  queue_.enqueueReadBuffer(copies_[current_].c, CL_TRUE, 0, sizeof element, &element);
}

std::vector<float> DeviceData::read_c() const {
  std::vector<float> result(original_c_.getInfo<CL_MEM_SIZE>() / sizeof(float));
  queue_.enqueueReadBuffer(copies_[current_].c, CL_TRUE, 0, result.size() * sizeof(float), result.data());
  damage_ = damage_around_c(call(), result);
  result.resize(result.size() - guard_elements(call()));
  result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(offset_of(lines_of_c(call()))));
  return c_as_row_major(call(), result);
}

}  // namespace clgemm::bench
