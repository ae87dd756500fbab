#include "arguments.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "error.hpp"

namespace clgemm {
namespace {

// How a call uses a matrix, for the check of the flags that its buffer was made with.
struct Use {
  const char* name;
  cl_mem_flags forbidden;
  const char* forbidden_name;
};
constexpr Use use_of_a{"A", CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY"};
constexpr Use use_of_b{"B", CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY"};
constexpr Use use_of_c{"C", CL_MEM_READ_ONLY, "CL_MEM_READ_ONLY"};

void check_size(const Use& use, const DeviceMatrix& matrix, std::size_t extent, std::size_t buffer_bytes) {
  std::size_t end = 0;
  std::size_t bytes = 0;
  if (!__builtin_add_overflow(matrix.offset, extent, &end) &&
      !__builtin_mul_overflow(end, sizeof(float), &bytes) && bytes <= buffer_bytes) {
    return;
  }
  throw Error(
      ErrorCode::buffer_too_small,
      fmt::format("the buffer of {} has {} bytes; with offset {} and leading dimension {} the matrix ends "
                  "at element {} ({} bytes)",
                  use.name, buffer_bytes, matrix.offset, matrix.ld, end, bytes));
}

// The alignment of the buffer's first element, in elements. A buffer on the caller's own memory
// (CL_MEM_USE_HOST_PTR) is aligned as that is; all others as the device promises.
std::size_t base_alignment(const cl::Buffer& buffer, cl_mem_flags flags, const Device& device) {
  std::size_t bytes = device.base_alignment_bytes;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.getInfo<CL_MEM_HOST_PTR>());
    while (bytes > sizeof(float) && address % bytes != 0) bytes /= 2;
  }
  return std::max<std::size_t>(bytes / sizeof(float), 1);
}

// Checks one matrix and fills in its place.
cl::Buffer place(const Use& use, const DeviceMatrix& matrix, std::size_t extent, const cl::Context& context,
                 const Device& device, Operand& operand) {
  if (matrix.buffer == nullptr) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the buffer of {} is null", use.name));
  }
  cl::Buffer buffer(matrix.buffer, true);
  if (buffer.getInfo<CL_MEM_TYPE>() != CL_MEM_OBJECT_BUFFER) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the memory object of {} is not a buffer", use.name));
  }
  if (buffer.getInfo<CL_MEM_CONTEXT>()() != context()) {
    throw Error(ErrorCode::wrong_context,
                fmt::format("the buffer of {} belongs to another OpenCL context", use.name));
  }
  const auto flags = buffer.getInfo<CL_MEM_FLAGS>();
  if ((flags & use.forbidden) != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the buffer of {} was made with {}", use.name, use.forbidden_name));
  }
  check_size(use, matrix, extent, buffer.getInfo<CL_MEM_SIZE>());
  operand.offset = matrix.offset;
  operand.base_alignment = base_alignment(buffer, flags, device);
  return buffer;
}

}  // namespace

void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device) {
  if (queue() == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null");
  if (queue.getInfo<CL_QUEUE_CONTEXT>()() != context() || queue.getInfo<CL_QUEUE_DEVICE>()() != device()) {
    throw Error(ErrorCode::wrong_context,
                "the queue belongs to another OpenCL context or device than this clgemm::Context");
  }
}

Buffers place_operands(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c, const cl::Context& context,
                       const Device& device, Problem& problem) {
  Buffers result;
  const bool exchanged = call.layout == Layout::column_major;
  if (reads_a_and_b(call)) {
    result.a = place(use_of_a, a, extents.a, context, device, exchanged ? problem.b : problem.a);
    result.b = place(use_of_b, b, extents.b, context, device, exchanged ? problem.a : problem.b);
  }
  if (extents.c != 0) result.c = place(use_of_c, c, extents.c, context, device, problem.c);
  if (exchanged) std::swap(result.a, result.b);
  return result;
}

}  // namespace clgemm
