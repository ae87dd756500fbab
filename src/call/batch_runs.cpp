#include "call/batch_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/device.hpp"
#include "base/error.hpp"

namespace clgemm {
namespace {

bool same_place(const DeviceMatrix& x, const DeviceMatrix& y) {
  return x.buffer == y.buffer && x.ld == y.ld;
}

bool fit_together(const BatchLists& lists, std::size_t i, std::size_t j) {
  return same_place(lists.a[i], lists.a[j]) && same_place(lists.b[i], lists.b[j]) &&
         same_place(lists.c[i], lists.c[j]) && (lists.alpha(i) == 0.0f) == (lists.alpha(j) == 0.0f);
}

bool has_room(const BatchGroup& group) {
  return group.size() < max_groups_beyond_first;
}

// True where the matrices of j may follow those of i in a run: not further in front, with the same factors.
bool follows(const BatchLists& lists, std::size_t i, std::size_t j) {
  return lists.a[j].offset >= lists.a[i].offset && lists.b[j].offset >= lists.b[i].offset &&
         lists.c[j].offset >= lists.c[i].offset && lists.alpha(j) == lists.alpha(i) &&
         lists.beta(j) == lists.beta(i);
}

bool follows_by(const BatchLists& lists, std::size_t i, std::size_t j, const BatchRun& run) {
  return follows(lists, i, j) && lists.a[j].offset - lists.a[i].offset == run.stride_a &&
         lists.b[j].offset - lists.b[i].offset == run.stride_b &&
         lists.c[j].offset - lists.c[i].offset == run.stride_c;
}

}  // namespace

void check_lengths(const BatchLists& lists) {
  if (lists.a.size() != lists.b.size() || lists.a.size() != lists.c.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} matrices A, {} B and {} C; expected as many of each",
                            lists.a.size(), lists.b.size(), lists.c.size()));
  }
  const auto check = [&lists](const char* name, std::size_t count) {
    if (count == 1 || count == lists.c.size()) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} {} for {} multiplies; expected one for each, or one for all",
                            count, name, lists.c.size()));
  };
  check("alphas", lists.alphas.size());
  check("betas", lists.betas.size());
}

std::vector<BatchGroup> groups_of(const BatchLists& lists) {
  std::vector<BatchGroup> groups;
  std::size_t last = 0;  // where the one before went: most batches have one group
  for (std::size_t i = 0; i < lists.c.size(); ++i) {
    if (groups.empty() || !has_room(groups[last]) || !fit_together(lists, groups[last].front(), i)) {
      const auto found = std::find_if(groups.begin(), groups.end(), [&](const BatchGroup& group) {
        return has_room(group) && fit_together(lists, group.front(), i);
      });
      last = static_cast<std::size_t>(found - groups.begin());
      if (found == groups.end()) groups.emplace_back().reserve(lists.c.size() - i);
    }
    groups[last].push_back(i);
  }
  return groups;
}

std::vector<BatchRun> even_runs(const BatchLists& lists, const BatchGroup& group) {
  std::vector<BatchRun> runs;
  runs.reserve(group.size());
  for (std::size_t at = 0; at < group.size();) {
    const std::size_t first = group[at];
    BatchRun run{first};
    std::size_t next = at + 1;
    // Equal offsets of C would be one matrix written twice; the check of C's own overlap then sees them.
    if (next < group.size() && follows(lists, first, group[next])) {
      run.stride_a = lists.a[group[next]].offset - lists.a[first].offset;
      run.stride_b = lists.b[group[next]].offset - lists.b[first].offset;
      run.stride_c = lists.c[group[next]].offset - lists.c[first].offset;
      while (next < group.size() && follows_by(lists, group[next - 1], group[next], run)) ++next;
    }
    run.count = next - at;
    runs.push_back(run);
    at = next;
  }
  return runs;
}

}  // namespace clgemm
