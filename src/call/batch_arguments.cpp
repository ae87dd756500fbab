// Checks batches of matrices at any place.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "call/aliasing.hpp"
#include "call/arguments.hpp"
#include "call/listed_overlap.hpp"

namespace clgemm {
namespace {

SgemmCall with_lds(SgemmCall call, const BatchLists& lists, std::size_t i) {
  call.alpha = lists.alpha(i);
  call.beta = lists.beta(i);
  call.lda = lists.a[i].ld;
  call.ldb = lists.b[i].ld;
  call.ldc = lists.c[i].ld;
  return call;
}

// Returns the call of a strided batch whose first GEMM is `first`.
SgemmCall call_of(SgemmCall first, const StridedBatch& strided) {
  first.batch_count = strided.count;
  first.stride_a = strided.stride_a;
  first.stride_b = strided.stride_b;
  first.stride_c = strided.stride_c;
  return first;
}

bool is_of_a_matrix(Argument argument) {
  switch (argument) {
    case Argument::a:
    case Argument::lda:
    case Argument::b:
    case Argument::ldb:
    case Argument::c:
    case Argument::ldc:
    case Argument::stride_c:
      return true;
    default:
      return false;
  }
}

// Calls `check` for `count` GEMMs, from number `first` on. If an error is about their matrices, it adds which
// GEMMs these are, and leaves strides out, because the caller of a list has not given any.
template <class Check>
auto checked_of(std::size_t first, std::size_t count, const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    if (!is_of_a_matrix(error.argument())) throw;
    const std::string which = count == 1
                                  ? fmt::format("GEMM {}", first)
                                  : fmt::format("{} GEMMs, the first of which is number {}", count, first);
    if (error.argument() == Argument::stride_c) {
      throw Error(error.code(),
                  fmt::format("the matrices C of the batch overlap each other: those of {}", which),
                  Argument::c);
    }
    throw Error(error.code(), fmt::format("{}: {}", which, error.what()), error.argument());
  }
}

// Returns the places of matrices in a buffer.
class RegionsIn {
 public:
  RegionsIn(cl_mem buffer, const std::vector<DeviceMatrix>& matrices, const Lines& lines)
      : base_(first_in_root(buffer)), matrices_(matrices), lines_(lines) {}

  Region operator[](std::size_t i) const {
    return {static_cast<std::int64_t>(base_ + matrices_[i].offset), lines_, 1, 0};
  }

 private:
  std::size_t base_;
  const std::vector<DeviceMatrix>& matrices_;
  Lines lines_;
};

// Does what check_aliasing() does, for each GEMM of a group.
void check_listed_aliasing(const SgemmCall& call, const Buffers& buffers, const BatchLists& lists,
                           const BatchGroup& group) {
  const RegionsIn regions_of_c(buffers.c, lists.c, lines_of_c(call));
  const bool exchanged = call.layout == Layout::column_major;
  const auto check = [&](const char* name, cl_mem buffer, const std::vector<DeviceMatrix>& matrices,
                         const Lines& lines) {
    if (root_of(buffer) != root_of(buffers.c)) return;
    const RegionsIn regions(buffer, matrices, lines);
    for (const std::size_t i : group) {
      if (overlaps(regions_of_c[i], regions[i])) refuse_overlap(name);
    }
  };
  check("A", exchanged ? buffers.b : buffers.a, lists.a, lines_of_a(call));
  check("B", exchanged ? buffers.a : buffers.b, lists.b, lines_of_b(call));
}

// Returns the group as one GEMM with a list.
DeviceGemm place_listed(const SgemmCall& call, const BatchLists& lists, const BatchGroup& group,
                        const Surroundings& surroundings) {
  const auto furthest = [&group](const std::vector<DeviceMatrix>& matrices) {
    return matrices[*std::max_element(group.begin(), group.end(), [&](std::size_t i, std::size_t j) {
      return matrices[i].offset < matrices[j].offset;
    })];
  };
  DeviceGemm result{canonical(call), {}, {}, call.layout};
  Problem& problem = result.problem;
  result.products.reserve(group.size());
  const DeviceMatrix a = furthest(lists.a);
  const DeviceMatrix b = furthest(lists.b);
  const DeviceMatrix c = furthest(lists.c);
  try {
    result.buffers = place_operands(call, check_call(call), a, b, c, surroundings, problem);
  } catch (const Error& error) {
    throw suspect_exchange(error, call, a, b, c);
  }
  const bool exchanged = call.layout == Layout::column_major;
  Product all{};  // a power of two divides a member of this if it divides that member in every Product
  for (const std::size_t i : group) {
    const std::uint64_t offset_a = lists.a[i].offset;
    const std::uint64_t offset_b = lists.b[i].offset;
    result.products.push_back({exchanged ? offset_b : offset_a, exchanged ? offset_a : offset_b,
                               lists.c[i].offset, lists.alpha(i), lists.beta(i)});
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

}  // namespace

ListsOnBuffers lists_on_buffers(const SgemmCall& one, const BatchLists& lists,
                                const Surroundings& surroundings) {
  ListsOnBuffers result{lists.a, lists.b, lists.c};
  std::vector<UsedMatrix> used;
  used.reserve(3 * lists.c.size());
  for (std::size_t i = 0; i < lists.c.size(); ++i) {
    const SgemmCall call = with_lds(one, lists, i);
    const Extents extents = checked_of(i, 1, [&] { return check_call(call); });
    add_used(call, extents, result.a[i], result.b[i], result.c[i], used);
  }
  result.buffers = put_on_buffers(used, surroundings);
  return result;
}

DeviceGemm check_group(const SgemmCall& one, const BatchLists& lists, const BatchGroup& group,
                       const Surroundings& surroundings) {
  const SgemmCall first = with_lds(one, lists, group.front());
  DeviceGemm gemm = checked_of(group.front(), group.size(),
                               [&] { return place_listed(first, lists, group, surroundings); });
  check_scratch(surroundings, gemm.buffers);
  return gemm;
}

DeviceGemm check_strided_batch(const SgemmCall& one, const BatchLists& lists, const StridedBatch& strided,
                               const Surroundings& surroundings) {
  const std::size_t i = strided.first;
  return checked_of(i, strided.count, [&] {
    const SgemmCall call = call_of(with_lds(one, lists, i), strided);
    // A strided batch with one C for all is a sum. A list with one C twice is an error.
    if (strided.count > 1 && strided.stride_c == 0 && call.m != 0 && call.n != 0)
      throw Error(ErrorCode::invalid_argument, "all matrices C are the same", Argument::stride_c);
    return check_device_gemm(call, lists.a[i], lists.b[i], lists.c[i], surroundings);
  });
}

Problem problem_of_strided_batch(const DeviceGemm& group, const StridedBatch& strided) {
  Problem problem = group.problem;
  problem.listed = false;
  problem.batch_count = strided.count;
  problem.a.stride = strided.stride_a;
  problem.b.stride = strided.stride_b;
  problem.c.stride = strided.stride_c;
  if (group.layout == Layout::column_major) std::swap(problem.a.stride, problem.b.stride);
  return problem;
}

void check_listed_c(const SgemmCall& one, const std::vector<DeviceMatrix>& c) {
  const Lines lines = lines_of_c(one);
  if (lines.count == 0 || lines.length == 0) return;
  std::vector<PlacedMatrix> matrices;
  matrices.reserve(c.size());
  cl_mem last = nullptr;
  cl_mem root = nullptr;
  std::size_t first = 0;
  for (const DeviceMatrix& matrix : c) {
    if (std::exchange(last, matrix.buffer) != matrix.buffer) {
      root = root_of(last);
      first = first_in_root(last);
    }
    matrices.push_back({root, static_cast<std::int64_t>(first + matrix.offset), matrix.ld, matrices.size()});
  }
  check_c_apart(std::move(matrices), lines);
}

}  // namespace clgemm
