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
    const std::vector<BatchRun> runs = even_runs(lists, group);
    const bool multiplies = reads_a_and_b(one) && lists.alpha(group.front()) != 0.0f;
    if (runs.size() > 1 && multiplies && one.k <= deepest_listed) {
      DeviceGemm listed = check_group(one, lists, group, own);
      if (pays_as_list(listed, runs, options)) {
        result.push_back(std::move(listed));
        continue;
      }
    }
    for (const BatchRun& run : runs) result.push_back(check_run(one, lists, run, own));
  }
  const bool is_even = result.size() == 1 && result.front().products.empty();  // and checked as such
  if (!is_even) check_listed_c(one, lists.c);
  return result;
}

void Context::State::multiply(const HostBatch& batch, const Options& options) {
  switch (to_do(batch.problem)) {
    case ToDo::multiply:
      check_scratch(surroundings(options), {});
      return host_batches_.multiply(batch, options);
    case ToDo::scale_c:
      return scale_on_host(batch);
    case ToDo::nothing:
      return;
  }
}

bool Context::State::pays_as_list(const DeviceGemm& listed, const std::vector<BatchRun>& runs,
                                  const Options& options) {
  if (!named_kernel(options).empty()) return chooser_.takes_lists(options);
  const std::size_t limit = scratch_limit(options);
  const double by_list = chooser_.predicted_seconds(listed.problem, options, limit);
  std::map<std::size_t, double> by_count;  // time of a run; the distance of its matrices hardly matters
  double by_runs = 0.0;
  for (const BatchRun& run : runs) {
    const auto [known, is_new] = by_count.try_emplace(run.count, 0.0);
    if (is_new) known->second = chooser_.predicted_seconds(problem_of_run(listed, run), options, limit);
    by_runs += known->second;
    if (by_runs >= by_list) return true;
  }
  return false;
}

}  // namespace clgemm
