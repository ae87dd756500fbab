// Batches of matrices at any place: decides which calls compute them.
#include <map>
#include <utility>

#include "call/arguments.hpp"
#include "context/context.hpp"
#include "plan/blocks.hpp"

namespace clgemm {
namespace {

// Beyond this depth, k is cut into blocks, and a list has no beta for blocks.
constexpr std::size_t deepest_listed = max_block / 2;

}  // namespace

std::vector<DeviceGemm> Context::State::check_batch(const SgemmCall& one, const BatchLists& lists,
                                                    const Options& options) {
  check_lengths(lists.lengths());
  const Surroundings own = surroundings(options);
  if (lie_in_shared_memory(lists.a) || lie_in_shared_memory(lists.b) || lie_in_shared_memory(lists.c)) {
    ListsOnBuffers on = lists_on_buffers(one, lists, own);
    std::vector<DeviceGemm> result = check_batch(one, {lists.alphas, on.a, on.b, lists.betas, on.c}, options);
    if (!result.empty()) result.front().kept = std::move(on.buffers);
    return result;
  }
  std::vector<DeviceGemm> result;
  for (const BatchGroup& group : groups_of(lists)) {
    const std::vector<StridedBatch> strided_batches = strided_batches_of(lists, group);
    const bool multiplies = reads_a_and_b(one) && lists.alpha(group.front()) != 0.0f;
    if (strided_batches.size() > 1 && multiplies && one.k <= deepest_listed) {
      DeviceGemm listed = check_group(one, lists, group, own);
      if (pays_as_list(listed, strided_batches, options)) {
        result.push_back(std::move(listed));
        continue;
      }
    }
    for (const StridedBatch& strided : strided_batches)
      result.push_back(check_strided_batch(one, lists, strided, own));
  }
  const bool is_even = result.size() == 1 && result.front().products.empty();  // and checked as such
  if (!is_even) check_listed_c(one, lists.c);
  check_options(result, options);
  return result;
}

void Context::State::check_options(const std::vector<DeviceGemm>& gemms, const Options& options) {
  if (gemms.size() == 1) return;  // it is planned before anything is enqueued
  for (const DeviceGemm& gemm : gemms) {
    if (to_do(gemm.problem) == ToDo::gemm) plan(gemm.problem, options);
  }
}

void Context::State::multiply(const HostBatch& batch, const Options& options) {
  switch (to_do(batch.problem)) {
    case ToDo::gemm:
      check_scratch(surroundings(options), {});
      return host_batches_.multiply(batch, options);
    case ToDo::scale_c:
      return scale_on_host(batch);
    case ToDo::nothing:
      return;
  }
}

bool Context::State::pays_as_list(const DeviceGemm& listed, const std::vector<StridedBatch>& strided_batches,
                                  const Options& options) {
  if (!named_kernel(options).empty()) return chooser_.takes_lists(options);
  const std::size_t limit = scratch_limit(options);
  const double by_list = chooser_.predicted_seconds(listed.problem, options, limit);
  // Time of a strided batch by its count, because the distance of its matrices hardly matters.
  std::map<std::size_t, double> by_count;
  double by_strided_batches = 0.0;
  for (const StridedBatch& strided : strided_batches) {
    const auto [known, is_new] = by_count.try_emplace(strided.count, 0.0);
    if (is_new)
      known->second = chooser_.predicted_seconds(problem_of_strided_batch(listed, strided), options, limit);
    by_strided_batches += known->second;
    if (by_strided_batches >= by_list) return true;
  }
  return false;
}

}  // namespace clgemm
