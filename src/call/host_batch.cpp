#include "call/host_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "call/arguments.hpp"
#include "call/listed_overlap.hpp"
#include "call/strided_batches.hpp"

namespace clgemm {
namespace {

// Returns the distances between the matrices if they are constant.
template <class Matrix>
std::optional<std::size_t> stride_of(const std::vector<Matrix*>& matrices) {
  const auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(matrices[i]); };
  if (matrices.size() < 2) return 0;
  const std::uintptr_t step = address(1) - address(0);
  for (std::size_t i = 1; i < matrices.size(); ++i) {
    if (address(i) < address(i - 1) || address(i) - address(i - 1) != step) return std::nullopt;
  }
  return step % sizeof(float) == 0 ? std::optional(step / sizeof(float)) : std::nullopt;
}

// Sets the members that follow from the places of the matrices.
HostBatch with_strides(HostBatch batch) {
  const auto a = stride_of(batch.a);
  const auto b = stride_of(batch.b);
  const auto c = stride_of(batch.c);
  batch.problem.batch_count = batch.count();
  batch.is_even = a && b && c;
  if (batch.is_even) {
    batch.problem.a.stride = *a;
    batch.problem.b.stride = *b;
    batch.problem.c.stride = *c;
  }
  return batch;
}

void check_listed_c(const SgemmCall& one, const std::vector<float*>& c) {
  const Lines lines = lines_of_c(one);
  std::vector<PlacedMatrix> matrices;
  matrices.reserve(c.size());
  for (const float* matrix : c) {
    const auto place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(matrix) / sizeof(float));
    matrices.push_back({nullptr, place, lines.ld, matrices.size()});
  }
  check_c_apart(std::move(matrices), lines);
}

HostGemm check_one(const SgemmCall& call, const HostLists& lists, std::size_t i) {
  try {
    return check_host_gemm(call, lists.a[i], lists.b[i], lists.c[i]);
  } catch (const Error& error) {
    switch (error.argument()) {
      case Argument::a:
      case Argument::b:
      case Argument::c:
        throw Error(error.code(), fmt::format("GEMM {}: {}", i, error.what()), error.argument());
      default:
        throw;
    }
  }
}

}  // namespace

Problem one_of(const Problem& batch) {
  Problem one = batch;
  one.batch_count = 1;
  one.a.stride = one.b.stride = one.c.stride = 0;
  return one;
}

HostGemm HostBatch::at(std::size_t i) const {
  HostGemm one{one_of(problem), a[i], b[i], c[i]};
  if (i > 0 && is_sum()) one.problem.beta = 1.0f;
  return one;
}

void scale_on_host(const HostBatch& batch) {
  for (std::size_t i = 0; i < batch.count(); ++i) scale_on_host(batch.at(i));
}

HostBatch check_host_batch(const SgemmCall& call, const float* a, const float* b, float* c) {
  const HostGemm first = check_host_gemm(call, a, b, c);
  HostBatch batch{first.problem, true, {}, {}, {}};
  const auto place = [](auto* matrix, const Operand& operand, std::size_t i) {
    return matrix == nullptr ? matrix : matrix + i * operand.stride;
  };
  for (std::size_t i = 0; i < call.batch_count; ++i) {
    batch.a.push_back(place(first.a, first.problem.a, i));
    batch.b.push_back(place(first.b, first.problem.b, i));
    batch.c.push_back(place(first.c, first.problem.c, i));
  }
  return batch;
}

std::vector<HostBatch> check_host_lists(const SgemmCall& one, const HostLists& lists) {
  check_lengths({lists.alphas.size(), lists.a.size(), lists.b.size(), lists.betas.size(), lists.c.size()});
  check_call(one);
  std::map<std::pair<std::uint32_t, std::uint32_t>, HostBatch> batches;  // by bits: NaN has no order
  for (std::size_t i = 0; i < lists.c.size(); ++i) {
    SgemmCall call = one;
    call.alpha = lists.alphas[lists.alphas.size() == 1 ? 0 : i];
    call.beta = lists.betas[lists.betas.size() == 1 ? 0 : i];
    const HostGemm gemm = check_one(call, lists, i);
    HostBatch& batch =
        batches[{std::bit_cast<std::uint32_t>(call.alpha), std::bit_cast<std::uint32_t>(call.beta)}];
    batch.problem = gemm.problem;
    batch.a.push_back(gemm.a);
    batch.b.push_back(gemm.b);
    batch.c.push_back(gemm.c);
  }
  check_listed_c(one, lists.c);
  std::vector<HostBatch> result;
  for (auto& [factors, batch] : batches) result.push_back(with_strides(std::move(batch)));
  std::stable_partition(result.begin(), result.end(),
                        [](const HostBatch& batch) { return to_do(batch.problem) == ToDo::gemm; });
  return result;
}

}  // namespace clgemm
