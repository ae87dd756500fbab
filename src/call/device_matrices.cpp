#include "call/device_matrices.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/handles.hpp"
#include "base/sizes.hpp"
#include "call/aliasing.hpp"

namespace clgemm {
namespace {

// The use of a matrix in a call, to check the flags of its buffer.
struct Use {
  const char* name;
  cl_mem_flags forbidden;
  const char* forbidden_name;
  Argument argument;
};
constexpr Use use_of_a{"A", CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY", Argument::a};
constexpr Use use_of_b{"B", CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY", Argument::b};
constexpr Use use_of_c{"C", CL_MEM_READ_ONLY, "CL_MEM_READ_ONLY", Argument::c};

void check_size(const Use& use, const DeviceMatrix& matrix, std::size_t extent, std::size_t buffer_bytes) {
  std::size_t end = 0;
  std::size_t bytes = 0;
  const bool is_a_size = !__builtin_add_overflow(matrix.offset, extent, &end) &&
                         !__builtin_mul_overflow(end, sizeof(float), &bytes);
  if (is_a_size && bytes <= buffer_bytes) return;
  const std::string ends =
      is_a_size ? fmt::format("at element {} ({} bytes)", end, bytes) : "beyond the end of any buffer";
  throw Error(
      ErrorCode::buffer_too_small,
      fmt::format("the buffer of {} has {} bytes; with offset {} and leading dimension {} the matrix ends {}",
                  use.name, buffer_bytes, matrix.offset, matrix.ld, ends),
      use.argument);
}

// A buffer on the caller's own memory has the alignment of that memory.
std::size_t alignment_of(cl_mem buffer, cl_mem_flags flags, const Device& device) {
  return (flags & CL_MEM_USE_HOST_PTR) == 0 ? base_alignment(device)
                                            : base_alignment(device, info_of<void*>(buffer, CL_MEM_HOST_PTR));
}

// Checks that the buffer of a matrix or of the scratch belongs to the context.
void check_buffer(const char* name, Argument argument, cl_mem buffer, const cl::Context& context) {
  if (buffer == nullptr)
    throw Error(ErrorCode::invalid_argument, fmt::format("the buffer of {} is null", name), argument);
  if (info_of<cl_mem_object_type>(buffer, CL_MEM_TYPE) != CL_MEM_OBJECT_BUFFER) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the memory object of {} is not a buffer", name),
                argument);
  }
  if (info_of<cl_context>(buffer, CL_MEM_CONTEXT) != context()) {
    throw Error(ErrorCode::wrong_context,
                fmt::format("the buffer of {} belongs to another OpenCL context", name), argument);
  }
}

// Checks one matrix and stores its place.
cl_mem place(const Use& use, const DeviceMatrix& matrix, std::size_t extent, const Surroundings& surroundings,
             Operand& operand) {
  check_buffer(use.name, use.argument, matrix.buffer, surroundings.context);
  const auto flags = info_of<cl_mem_flags>(matrix.buffer, CL_MEM_FLAGS);
  if ((flags & use.forbidden) != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the buffer of {} was created with {}", use.name, use.forbidden_name),
                use.argument);
  }
  check_size(use, matrix, extent, info_of<std::size_t>(matrix.buffer, CL_MEM_SIZE));
  operand.offset = matrix.offset;
  operand.base_alignment = alignment_of(matrix.buffer, flags, surroundings.device);
  return matrix.buffer;
}

Region region_of(const DeviceMatrix& matrix, const Lines& lines, const SgemmCall& call, std::size_t stride) {
  return {static_cast<std::int64_t>(first_in_root(matrix.buffer) + matrix.offset), lines, call.batch_count,
          stride};
}

void check_aliasing(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                    const DeviceMatrix& c) {
  const Region region_c = region_of(c, lines_of_c(call), call, call.stride_c);
  check_batch_of_c(region_c);
  if (!reads_a_and_b(call)) return;
  const cl_mem root = root_of(c.buffer);
  if (root_of(a.buffer) == root && overlaps(region_c, region_of(a, lines_of_a(call), call, call.stride_a))) {
    refuse_overlap("A");
  }
  if (root_of(b.buffer) == root && overlaps(region_c, region_of(b, lines_of_b(call), call, call.stride_b))) {
    refuse_overlap("B");
  }
}

}  // namespace

cl_mem root_of(cl_mem buffer) {
  const auto parent = info_of<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT);
  return parent == nullptr ? buffer : parent;
}

std::size_t first_in_root(cl_mem buffer) {
  return info_of<std::size_t>(buffer, CL_MEM_OFFSET) / sizeof(float);
}

Error suspect_exchange(const Error& error, const SgemmCall& call, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c) {
  const auto with_hint = [&error](const Lines& lines, const DeviceMatrix& matrix) {
    const bool could_be_ld = matrix.offset != 0 && matrix.offset >= lines.length;
    const bool explains = error.code() == ErrorCode::invalid_leading_dimension ||
                          (error.code() == ErrorCode::buffer_too_small && matrix.offset < matrix.ld);
    if (!could_be_ld || !explains) return error;
    return Error(error.code(),
                 fmt::format("{}; did you exchange the offset ({}) and the leading dimension ({})? The order "
                             "is {{buffer, ld, offset}}",
                             error.what(), matrix.offset, matrix.ld),
                 error.argument());
  };
  switch (error.argument()) {
    case Argument::a:
    case Argument::lda:
      return with_hint(lines_of_a(call), a);
    case Argument::b:
    case Argument::ldb:
      return with_hint(lines_of_b(call), b);
    case Argument::c:
    case Argument::ldc:
      return with_hint(lines_of_c(call), c);
    default:
      return error;
  }
}

void refuse_overlap(const char* name) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("C overlaps {}; C must not share elements with A or B", name), Argument::c);
}

Buffers place_operands(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c, const Surroundings& surroundings,
                       Problem& problem) {
  Buffers result;
  const bool exchanged = call.layout == Layout::column_major;
  if (reads_a_and_b(call)) {
    result.a = place(use_of_a, a, extents.a, surroundings, exchanged ? problem.b : problem.a);
    result.b = place(use_of_b, b, extents.b, surroundings, exchanged ? problem.a : problem.b);
  }
  if (extents.c != 0) {
    result.c = place(use_of_c, c, extents.c, surroundings, problem.c);
    check_aliasing(call, a, b, c);
  }
  if (exchanged) std::swap(result.a, result.b);
  return result;
}

void check_scratch(const Surroundings& surroundings, const Buffers& matrices) {
  if (surroundings.scratch == nullptr) return;
  const cl_mem scratch = surroundings.scratch;
  check_buffer("Options::scratch", Argument::options, scratch, surroundings.context);
  const auto flags = info_of<cl_mem_flags>(scratch, CL_MEM_FLAGS);
  if ((flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) != 0) {
    throw Error(ErrorCode::invalid_argument, "Options::scratch must be a CL_MEM_READ_WRITE buffer",
                Argument::options);
  }
  if (alignment_of(scratch, flags, surroundings.device) < widest_vector) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("Options::scratch is in host memory that is not aligned to {} bytes",
                            widest_vector * sizeof(float)),
                Argument::options);
  }
  const auto begin_of = [](cl_mem memory) { return info_of<std::size_t>(memory, CL_MEM_OFFSET); };
  const auto end_of = [&](cl_mem memory) {
    return begin_of(memory) + info_of<std::size_t>(memory, CL_MEM_SIZE);
  };
  for (const cl_mem matrix : {matrices.a, matrices.b, matrices.c}) {
    if (matrix == nullptr || root_of(matrix) != root_of(scratch)) continue;
    if (begin_of(scratch) < end_of(matrix) && begin_of(matrix) < end_of(scratch)) {
      throw Error(ErrorCode::invalid_argument, "Options::scratch shares memory with a matrix of the call",
                  Argument::options);
    }
  }
}

}  // namespace clgemm
