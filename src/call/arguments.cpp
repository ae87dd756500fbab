#include "call/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/handles.hpp"
#include "base/sizes.hpp"
#include "call/aliasing.hpp"
#include "call/listed_overlap.hpp"

namespace clgemm {
namespace {

// How a call uses a matrix, for the check of the flags that its buffer was made with.
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
      is_a_size ? fmt::format("at element {} ({} bytes)", end, bytes) : "beyond any buffer";
  throw Error(
      ErrorCode::buffer_too_small,
      fmt::format("the buffer of {} has {} bytes; with offset {} and leading dimension {} the matrix ends {}",
                  use.name, buffer_bytes, matrix.offset, matrix.ld, ends),
      use.argument);
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

// A buffer of the context, of either the caller's matrices or scratch.
cl::Buffer checked_buffer(const char* name, Argument argument, cl_mem memory, const cl::Context& context) {
  if (memory == nullptr)
    throw Error(ErrorCode::invalid_argument, fmt::format("the buffer of {} is null", name), argument);
  cl::Buffer buffer(memory, true);
  if (buffer.getInfo<CL_MEM_TYPE>() != CL_MEM_OBJECT_BUFFER) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the memory object of {} is not a buffer", name),
                argument);
  }
  if (context_of(buffer) != context()) {
    throw Error(ErrorCode::wrong_context,
                fmt::format("the buffer of {} belongs to another OpenCL context", name), argument);
  }
  return buffer;
}

// Checks one matrix and fills in its place.
cl::Buffer place(const Use& use, const DeviceMatrix& matrix, std::size_t extent, const cl::Context& context,
                 const Device& device, Operand& operand) {
  cl::Buffer buffer = checked_buffer(use.name, use.argument, matrix.buffer, context);
  const auto flags = buffer.getInfo<CL_MEM_FLAGS>();
  if ((flags & use.forbidden) != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the buffer of {} was made with {}", use.name, use.forbidden_name), use.argument);
  }
  check_size(use, matrix, extent, buffer.getInfo<CL_MEM_SIZE>());
  operand.offset = matrix.offset;
  operand.base_alignment = base_alignment(buffer, flags, device);
  return buffer;
}

// The buffer whose memory this one is: the parent of a sub-buffer. Only its address is looked at: the caller
// may have released it, and Intel's CPU runtime then refuses to retain it.
cl_mem root_of(const cl::Buffer& buffer) {
  const cl_mem parent = parent_of(buffer);
  return parent == nullptr ? buffer() : parent;
}

// Where in that memory a buffer begins, in elements.
struct Origin {
  cl_mem root = nullptr;
  std::size_t first = 0;
};
Origin origin_of(const cl::Buffer& buffer) {
  return {root_of(buffer), buffer.getInfo<CL_MEM_OFFSET>() / sizeof(float)};
}

Region region_of(const cl::Buffer& buffer, const DeviceMatrix& matrix, const Lines& lines,
                 const SgemmCall& call, std::size_t stride) {
  const std::size_t first = buffer.getInfo<CL_MEM_OFFSET>() / sizeof(float) + matrix.offset;
  return {static_cast<std::int64_t>(first), lines, call.batch_count, stride};
}

void check_pointer(const char* name, const float* pointer, Argument argument) {
  if (pointer == nullptr) throw Error(ErrorCode::invalid_argument, fmt::format("{} is null", name), argument);
}

void refuse_overlap(const char* name) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("C overlaps {}: C must not share elements with it", name), Argument::c);
}

void check_batch_of_c(const Region& c) {
  if (!overlaps_itself(c)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the matrices C of the batch overlap each other: stride_c is {}", c.stride),
              Argument::stride_c);
}

void check_aliasing(const SgemmCall& call, const Buffers& buffers, const DeviceMatrix& a,
                    const DeviceMatrix& b, const DeviceMatrix& c) {
  const Region region_c = region_of(buffers.c, c, lines_of_c(call), call, call.stride_c);
  check_batch_of_c(region_c);
  if (!reads_a_and_b(call)) return;
  const cl_mem root = root_of(buffers.c);
  if (root_of(buffers.a) == root &&
      overlaps(region_c, region_of(buffers.a, a, lines_of_a(call), call, call.stride_a))) {
    refuse_overlap("A");
  }
  if (root_of(buffers.b) == root &&
      overlaps(region_c, region_of(buffers.b, b, lines_of_b(call), call, call.stride_b))) {
    refuse_overlap("B");
  }
}

// Where one of many matrices in a buffer lies.
class RegionsIn {
 public:
  RegionsIn(const cl::Buffer& buffer, const std::vector<DeviceMatrix>& matrices, const Lines& lines)
      : base_(buffer.getInfo<CL_MEM_OFFSET>() / sizeof(float)), matrices_(matrices), lines_(lines) {}

  Region operator[](std::size_t i) const {
    return {static_cast<std::int64_t>(base_ + matrices_[i].offset), lines_, 1, 0};
  }

 private:
  std::size_t base_;
  const std::vector<DeviceMatrix>& matrices_;
  Lines lines_;
};

// As check_aliasing() for each multiply of a group.
void check_listed_aliasing(const SgemmCall& call, const Buffers& buffers, const BatchLists& lists,
                           const BatchGroup& group) {
  const RegionsIn regions_of_c(buffers.c, lists.c, lines_of_c(call));
  const bool exchanged = call.layout == Layout::column_major;
  const auto check = [&](const char* name, const cl::Buffer& buffer,
                         const std::vector<DeviceMatrix>& matrices, const Lines& lines) {
    if (root_of(buffer) != root_of(buffers.c)) return;
    const RegionsIn regions(buffer, matrices, lines);
    for (const std::size_t i : group) {
      if (overlaps(regions_of_c[i], regions[i])) refuse_overlap(name);
    }
  };
  check("A", exchanged ? buffers.b : buffers.a, lists.a, lines_of_a(call));
  check("B", exchanged ? buffers.a : buffers.b, lists.b, lines_of_b(call));
}

}  // namespace

void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device) {
  if (queue() == nullptr) throw Error(ErrorCode::invalid_argument, "the queue is null", Argument::queue);
  if (context_of(queue) != context() || device_of(queue) != device()) {
    throw Error(ErrorCode::wrong_context,
                "the queue belongs to another OpenCL context or device than this clgemm::Context",
                Argument::queue);
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
  if (extents.c != 0) {
    result.c = place(use_of_c, c, extents.c, context, device, problem.c);
    check_aliasing(call, result, a, b, c);
  }
  if (exchanged) std::swap(result.a, result.b);
  return result;
}

ListedOperands place_listed(const SgemmCall& call, const BatchLists& lists, const BatchGroup& group,
                            const cl::Context& context, const Device& device, Problem& problem) {
  const auto furthest = [&group](const std::vector<DeviceMatrix>& matrices) {
    return matrices[*std::max_element(group.begin(), group.end(), [&](std::size_t i, std::size_t j) {
      return matrices[i].offset < matrices[j].offset;
    })];
  };
  ListedOperands result;
  result.products.reserve(group.size());
  result.buffers = place_operands(call, check_call(call), furthest(lists.a), furthest(lists.b),
                                  furthest(lists.c), context, device, problem);
  const bool exchanged = call.layout == Layout::column_major;
  Product all{};  // whatever is a multiple of a power of two in each is one in this
  for (const std::size_t i : group) {
    const std::uint64_t a = lists.a[i].offset;
    const std::uint64_t b = lists.b[i].offset;
    result.products.push_back(
        {exchanged ? b : a, exchanged ? a : b, lists.c[i].offset, lists.alpha(i), lists.beta(i)});
    all.a |= result.products.back().a;
    all.b |= result.products.back().b;
    all.c |= result.products.back().c;
    all.beta = lists.beta(i) == 0.0f ? all.beta : 1.0f;
  }
  check_listed_aliasing(call, result.buffers, lists, group);
  problem.listed = true;
  problem.batch_count = group.size();
  problem.alpha = 1.0f;
  problem.beta = all.beta;
  const auto lies_by = [](Operand& operand, std::uint64_t offsets) {
    operand.offset = 0;
    operand.stride = std::size_t{1} << std::countr_zero(offsets | cache_line);
  };
  lies_by(problem.a, all.a);
  lies_by(problem.b, all.b);
  lies_by(problem.c, all.c);
  return result;
}

void check_listed_c(const SgemmCall& one, const std::vector<DeviceMatrix>& c) {
  const Lines lines = lines_of_c(one);
  if (lines.count == 0 || lines.length == 0) return;
  std::vector<PlacedMatrix> matrices;
  matrices.reserve(c.size());
  cl_mem last = nullptr;
  Origin origin;
  for (const DeviceMatrix& matrix : c) {
    if (std::exchange(last, matrix.buffer) != matrix.buffer) origin = origin_of(cl::Buffer(last, true));
    matrices.push_back(
        {origin.root, static_cast<std::int64_t>(origin.first + matrix.offset), matrix.ld, matrices.size()});
  }
  const auto found = overlapping_two(std::move(matrices), lines.count, lines.length);
  if (!found) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the matrices C of the batch overlap each other: those of multiplies {} and {}",
                          found->first, found->second),
              Argument::c);
}

cl::Buffer check_scratch(cl_mem scratch, const Buffers& matrices, const cl::Context& context,
                         const Device& device) {
  cl::Buffer buffer = checked_buffer("Options::scratch", Argument::options, scratch, context);
  const auto flags = buffer.getInfo<CL_MEM_FLAGS>();
  if ((flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) != 0) {
    throw Error(ErrorCode::invalid_argument, "Options::scratch must be a CL_MEM_READ_WRITE buffer",
                Argument::options);
  }
  if (base_alignment(buffer, flags, device) < widest_vector) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("Options::scratch lies in host memory that is not aligned to {} bytes",
                            widest_vector * sizeof(float)),
                Argument::options);
  }
  const auto end_of = [](const cl::Buffer& memory) {
    return memory.getInfo<CL_MEM_OFFSET>() + memory.getInfo<CL_MEM_SIZE>();
  };
  for (const cl::Buffer* matrix : {&matrices.a, &matrices.b, &matrices.c}) {
    if ((*matrix)() == nullptr || root_of(*matrix) != root_of(buffer)) continue;
    if (buffer.getInfo<CL_MEM_OFFSET>() < end_of(*matrix) &&
        matrix->getInfo<CL_MEM_OFFSET>() < end_of(buffer)) {
      throw Error(ErrorCode::invalid_argument, "Options::scratch shares memory with a matrix of the call",
                  Argument::options);
    }
  }
  return buffer;
}

void check_host_matrices(const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                         const float* c) {
  if (reads_a_and_b(call)) {
    check_pointer("a", a, Argument::a);
    check_pointer("b", b, Argument::b);
  }
  if (extents.c == 0) return;
  check_pointer("c", c, Argument::c);
  const auto region = [&call](const float* matrix, const Lines& lines, std::size_t stride) {
    const auto address = reinterpret_cast<std::uintptr_t>(matrix);
    return Region{static_cast<std::int64_t>(address / sizeof(float)), lines, call.batch_count, stride};
  };
  const Region region_c = region(c, lines_of_c(call), call.stride_c);
  if (!reads_a_and_b(call)) return;
  if (overlaps(region_c, region(a, lines_of_a(call), call.stride_a))) refuse_overlap("A");
  if (overlaps(region_c, region(b, lines_of_b(call), call.stride_b))) refuse_overlap("B");
}

}  // namespace clgemm
