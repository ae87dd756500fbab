#include "device_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "error.hpp"

namespace clgemm::bench {
namespace {

cl::Buffer allocate(const cl::CommandQueue& queue, std::size_t elements) {
  return {queue.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE, elements * sizeof(float)};
}

cl::Buffer upload(const cl::CommandQueue& queue, const std::vector<float>& matrix, std::size_t rows,
                  std::size_t columns, bool transpose) {
  const std::size_t bytes = matrix.size() * sizeof(float);
  cl::Buffer buffer = allocate(queue, matrix.size());
  if (transpose) {
    queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, transposed(matrix, rows, columns).data());
  } else {
    queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, matrix.data());
  }
  return buffer;
}

}  // namespace

void check_fits(const Device& device, const Size& size) {
  const std::size_t largest = std::max({size.m * size.k, size.k * size.n, size.m * size.n});
  if (largest <= device.max_allocation_bytes / sizeof(float)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("{}: a matrix of {} elements is larger than '{}' allows, {} bytes", to_string(size),
                          largest, device.name, device.max_allocation_bytes));
}

DeviceData::DeviceData(const cl::CommandQueue& queue, const HostData& host)
    : host_(host),
      queue_(queue),
      a_(upload(queue, host.a, host.call.m, host.call.k,
                stored_transposed(host.call.layout, host.call.transpose_a))),
      b_(upload(queue, host.b, host.call.k, host.call.n,
                stored_transposed(host.call.layout, host.call.transpose_b))),
      original_c_(upload(queue, host.c, host.call.m, host.call.n,
                         stored_transposed(host.call.layout, Transpose::no))),
      c_(allocate(queue, host.c.size())) {}

void DeviceData::restore_c() const {
  queue_.enqueueCopyBuffer(original_c_, c_, 0, 0, host_.c.size() * sizeof(float));
  wait_for_c();
}

void DeviceData::wait_for_c() const {
  float element = 0.0f;
  queue_.enqueueReadBuffer(c_, CL_TRUE, 0, sizeof element, &element);
}

std::vector<float> DeviceData::read_c() const {
  std::vector<float> result(host_.c.size());
  queue_.enqueueReadBuffer(c_, CL_TRUE, 0, result.size() * sizeof(float), result.data());
  return c_as_row_major(call(), result);
}

}  // namespace clgemm::bench
