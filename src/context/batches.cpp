// Batches of matrices at any place: which calls do them.
#include <fmt/format.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "context/context.hpp"
#include "plan/blocks.hpp"

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

// The call of a run, of which `first` is the first multiply.
SgemmCall call_of(SgemmCall first, const BatchRun& run) {
  first.batch_count = run.count;
  first.stride_a = run.stride_a;
  first.stride_b = run.stride_b;
  first.stride_c = run.stride_c;
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

// `check`, of so many multiplies, the first of them number `first`. What it says of their matrices says of
// which multiplies, too, and nothing of strides, which the caller of a list has not given.
template <class Check>
auto checked_of(std::size_t first, std::size_t count, const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    if (!is_of_a_matrix(error.argument())) throw;
    const std::string which = count == 1
                                  ? fmt::format("multiply {}", first)
                                  : fmt::format("{} multiplies, the first of them number {}", count, first);
    if (error.argument() == Argument::stride_c) {
      throw Error(error.code(),
                  fmt::format("the matrices C of the batch overlap each other: those of {}", which),
                  Argument::c);
    }
    throw Error(error.code(), fmt::format("{}: {}", which, error.what()), error.argument());
  }
}

// Beyond this k is cut into blocks, which a list has no beta for.
constexpr std::size_t deepest_listed = max_block / 2;

}  // namespace

std::vector<Context::State::CheckedCall> Context::State::check_batch(const SgemmCall& one,
                                                                     const BatchLists& lists,
                                                                     const Options& options) {
  check_lengths(lists);
  std::vector<CheckedCall> result;
  for (const BatchGroup& group : groups_of(lists)) {
    const std::vector<BatchRun> runs = even_runs(lists, group);
    const SgemmCall first = with_lds(one, lists, group.front());
    if (runs.size() > 1 && reads_a_and_b(first) && one.k <= deepest_listed) {
      CheckedCall listed{first, canonical(first), {}, {}};
      ListedOperands operands = checked_of(group.front(), group.size(), [&] {
        return place_listed(first, lists, group, context_, info_, listed.problem);
      });
      listed.buffers = std::move(operands.buffers);
      listed.products = std::move(operands.products);
      if (options.scratch != nullptr) check_scratch(options.scratch, listed.buffers, context_, info_);
      if (pays_as_list(listed, runs, options)) {
        result.push_back(std::move(listed));
        continue;
      }
    }
    for (const BatchRun& run : runs) {
      const std::size_t i = run.first;
      result.push_back(checked_of(i, run.count, [&] {
        return check(call_of(with_lds(one, lists, i), run), lists.a[i], lists.b[i], lists.c[i], options);
      }));
    }
  }
  const bool is_even = result.size() == 1 && result.front().products.empty();  // and checked as such
  if (!is_even) check_listed_c(one, lists.c);
  return result;
}

bool Context::State::pays_as_list(const CheckedCall& listed, const std::vector<BatchRun>& runs,
                                  const Options& options) {
  if (!named_kernel(options).empty()) return chooser_.takes_lists(options);
  const std::size_t limit = scratch_limit(options);
  const double by_list = chooser_.predicted_seconds(listed.problem, options, limit);
  std::map<std::size_t, double> by_count;  // what a run takes; how far apart its matrices lie hardly matters
  double by_runs = 0.0;
  for (const BatchRun& run : runs) {
    const auto [known, is_new] = by_count.try_emplace(run.count, 0.0);
    if (is_new) {
      Problem problem = canonical(call_of(listed.call, run));
      problem.a.base_alignment = listed.problem.a.base_alignment;
      problem.b.base_alignment = listed.problem.b.base_alignment;
      known->second = chooser_.predicted_seconds(problem, options, limit);
    }
    by_runs += known->second;
    if (by_runs >= by_list) return true;
  }
  return false;
}

}  // namespace clgemm
