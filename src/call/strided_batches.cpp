#include "call/strided_batches.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/device.hpp"
#include "base/error.hpp"

namespace clgemm {
namespace {

// Returns what the GEMMs of a group have in common.
auto kind_of(const BatchLists& lists, std::size_t i) {
  return std::tuple(lists.a[i].buffer, lists.a[i].ld, lists.b[i].buffer, lists.b[i].ld, lists.c[i].buffer,
                    lists.c[i].ld, lists.alpha(i) == 0.0f);
}

// Returns true if the matrices of j may follow those of i in a strided batch: at the same or higher offsets,
// with the same factors.
bool follows(const BatchLists& lists, std::size_t i, std::size_t j) {
  return lists.a[j].offset >= lists.a[i].offset && lists.b[j].offset >= lists.b[i].offset &&
         lists.c[j].offset >= lists.c[i].offset && lists.alpha(j) == lists.alpha(i) &&
         lists.beta(j) == lists.beta(i);
}

bool follows_by(const BatchLists& lists, std::size_t i, std::size_t j, const StridedBatch& strided) {
  return follows(lists, i, j) && lists.a[j].offset - lists.a[i].offset == strided.stride_a &&
         lists.b[j].offset - lists.b[i].offset == strided.stride_b &&
         lists.c[j].offset - lists.c[i].offset == strided.stride_c;
}

}  // namespace

void check_lengths(const ListLengths& lists) {
  if (lists.a != lists.b || lists.a != lists.c) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the batch has {} matrices A, {} matrices B and {} matrices C; the numbers must be equal",
                    lists.a, lists.b, lists.c));
  }
  const auto check = [&lists](const char* name, std::size_t count) {
    if (count == 1 || count == lists.c) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} {} for {} GEMMs; expected one for each GEMM, or one for all",
                            count, name, lists.c));
  };
  check("alphas", lists.alphas);
  check("betas", lists.betas);
}

std::vector<BatchGroup> groups_of(const BatchLists& lists) {
  std::vector<BatchGroup> groups;
  std::map<decltype(kind_of(lists, 0)), std::size_t> open;  // the last group of each kind
  std::size_t last = 0;  // the last GEMM's group: most batches have one group
  for (std::size_t i = 0; i < lists.c.size(); ++i) {
    const auto kind = kind_of(lists, i);
    if (i == 0 || kind != kind_of(lists, i - 1) || groups[last].size() == max_groups_beyond_first) {
      const auto [found, is_new] = open.try_emplace(kind, groups.size());
      if (!is_new && groups[found->second].size() == max_groups_beyond_first) found->second = groups.size();
      last = found->second;
      if (last == groups.size()) groups.emplace_back();
    }
    groups[last].push_back(i);
  }
  return groups;
}

std::vector<StridedBatch> strided_batches_of(const BatchLists& lists, const BatchGroup& group) {
  std::vector<StridedBatch> strided_batches;
  strided_batches.reserve(group.size());
  for (std::size_t at = 0; at < group.size();) {
    const std::size_t first = group[at];
    StridedBatch strided{first};
    std::size_t next = at + 1;
    // Equal offsets of C would mean that one matrix is written twice; check_strided_batch() finds them.
    if (next < group.size() && follows(lists, first, group[next])) {
      strided.stride_a = lists.a[group[next]].offset - lists.a[first].offset;
      strided.stride_b = lists.b[group[next]].offset - lists.b[first].offset;
      strided.stride_c = lists.c[group[next]].offset - lists.c[first].offset;
      while (next < group.size() && follows_by(lists, group[next - 1], group[next], strided)) ++next;
    }
    strided.count = next - at;
    strided_batches.push_back(strided);
    at = next;
  }
  return strided_batches;
}

}  // namespace clgemm
