#include "choose/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "choose/cost.hpp"
#include "choose/tensor_cores.hpp"
#include "plan/k_split.hpp"
#include "plan/plan.hpp"

namespace clgemm {
namespace {

struct Ranked {
  Candidate candidate;
  double seconds;
};

void sort_by_time(std::vector<Ranked>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& x, const Ranked& y) { return x.seconds < y.seconds; });
}

double estimate(const Problem& problem, const Candidate& candidate, ConfigCache& configs,
                std::size_t scratch_limit) {
  const Plan plan = make_plan(problem, candidate, configs, scratch_limit);
  return cost_of(plan, problem, configs.device()).seconds();
}

// Nothing where it cannot be planned.
std::optional<double> try_estimate(const Problem& problem, const Candidate& candidate, ConfigCache& configs,
                                   std::size_t scratch_limit) {
  try {
    return estimate(problem, candidate, configs, scratch_limit);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The shape that was measured, with matrices that lie as the bench's do.
Problem measured_problem(const TunedEntry& entry, const Device& device) {
  SgemmCall call;
  call.m = entry.size.m;
  call.n = entry.size.n;
  call.k = entry.size.k;
  call.transpose_a = entry.transpose_a ? Transpose::yes : Transpose::no;
  call.transpose_b = entry.transpose_b ? Transpose::yes : Transpose::no;
  call.lda = lines_of_a(call).length;
  call.ldb = lines_of_b(call).length;
  call.ldc = lines_of_c(call).length;
  Problem problem = canonical(call);
  problem.a.base_alignment = problem.b.base_alignment = device.base_alignment_bytes / sizeof(float);
  return problem;
}

bool is_allowed(const Candidate& candidate, ConfigCache& configs, Precision precision) {
  return precision == Precision::fp32_equivalent ||
         configs.get(candidate.kernel, candidate.parameters, {})->manifest().precision == Precision::fp32;
}

// The same for one that may not even be a kernel, which is found where it is tried.
bool is_allowed_or_broken(const Candidate& candidate, ConfigCache& configs, Precision precision) {
  try {
    return is_allowed(candidate, configs, precision);
  } catch (const Error&) {
    return true;
  }
}

// What was measured far away, and perhaps at another time, says less: at twice the size the estimate counts
// half as much again.
constexpr double doubt = 0.5;

// The rules begin with what was measured to be the best; another must be estimated to be so many times as
// fast to take its place. So must one of the rules' to take the place of what was tuned.
constexpr double rules_are_trusted = 1.1;

// What was measured, carried over to this problem by the ratio of the estimates: the same config, and those
// that the rules have for its kernel, whose tiles may suit this problem better.
std::vector<Ranked> tuned_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                                     std::size_t scratch_limit, Precision precision) {
  const Device& device = configs.device();
  const std::vector<Candidate> rules = candidates(problem, device, precision);
  std::vector<Ranked> result;
  for (const TunedChoice& choice : tuning.near(problem, device)) {
    const TunedEntry& entry = *choice.entry;
    const Candidate candidate{entry.kernel, entry.parameters, choice.reason};
    try {
      if (!is_allowed(candidate, configs, precision) || !leaves_room(candidate, problem, device)) continue;
      const double here = estimate(problem, candidate, configs, scratch_limit);
      const double there =
          estimate(measured_problem(entry, device), candidate, configs, default_scratch_limit(device));
      const double rate = entry.seconds / there * (1.0 + doubt * choice.distance);
      result.push_back({candidate, here * rate});
      for (const Candidate& rule : rules) {
        if (rule.kernel != entry.kernel) continue;
        const std::optional<double> seconds = try_estimate(problem, rule, configs, scratch_limit);
        if (seconds) result.push_back({rule, rules_are_trusted * *seconds * rate});
      }
    } catch (const Error& error) {
      log(LogLevel::info, fmt::format("tuned config not used: {}: {}", choice.reason, error.what()));
    }
  }
  // What was tuned for fp32 units does not keep tensor cores from their place.
  if (!result.empty() && precision == Precision::fp32_equivalent) {
    for (const Candidate& candidate : tensor_core_candidates(problem, device)) {
      const std::optional<double> seconds = try_estimate(problem, candidate, configs, scratch_limit);
      if (seconds) result.push_back({candidate, *seconds});
    }
  }
  sort_by_time(result);
  return result;
}

constexpr double in_front = -1.0;  // seconds that no estimate comes to

// The candidate with k in one part, and in as many as give each compute unit one or two work-groups: the
// plan's own number suits the tiles of the fastest kernels.
std::vector<Candidate> with_other_splits(const Candidate& candidate, const Plan& plan) {
  const bool has_a_say = candidate.parameters.count(split_parameter) != 0;
  if (!can_split_k(plan.multiply->manifest()) || has_a_say || plan.block_batch > 1) return {};
  const auto parts_of = [](std::size_t size, std::size_t part) { return (size + part - 1) / part; };
  const std::size_t groups =
      parts_of(plan.block_m, plan.group_rows) * parts_of(plan.block_n, plan.group_columns) * plan.block_batch;
  std::vector<Candidate> result;
  for (const std::size_t parts :
       {std::size_t{1}, plan.compute_units / groups, 2 * plan.compute_units / groups}) {
    if (parts == plan.split.parts || parts == 0 || parts > max_parts) continue;
    result.push_back(candidate);
    result.back().parameters[split_parameter] = static_cast<std::int64_t>(parts);
  }
  return result;
}

// On GPUs the rules offer several kernels, and estimates find the best, and how to split k. One that cannot
// be planned goes before them all: it is tried in vain, once, and explain() says why. On CPUs the rules'
// order is that of the estimates, whatever the shape.
std::vector<Candidate> candidates_by_rule(const Problem& problem, ConfigCache& configs,
                                          std::size_t scratch_limit, Precision precision) {
  std::vector<Candidate> rules = candidates(problem, configs.device(), precision);
  if (configs.device().kind == DeviceKind::cpu) return rules;
  const Candidate last = rules.back();
  rules.pop_back();
  std::vector<Ranked> ranked;
  for (const Candidate& candidate : rules) {
    if (!is_allowed_or_broken(candidate, configs, precision)) continue;
    double seconds = in_front;
    std::vector<Candidate> others;
    try {
      const Plan plan = make_plan(problem, candidate, configs, scratch_limit);
      const bool is_first = std::all_of(ranked.begin(), ranked.end(),
                                        [](const Ranked& one) { return one.seconds == in_front; });
      seconds = cost_of(plan, problem, configs.device()).seconds() * (is_first ? 1.0 : rules_are_trusted);
      others = with_other_splits(candidate, plan);
    } catch (const Error&) {
      others.clear();
    }
    ranked.push_back({candidate, seconds});
    for (const Candidate& other : others) {
      const std::optional<double> estimated = try_estimate(problem, other, configs, scratch_limit);
      if (estimated) ranked.push_back({other, rules_are_trusted * *estimated});
    }
  }
  sort_by_time(ranked);
  std::vector<Candidate> result;
  for (Ranked& one : ranked) result.push_back(std::move(one.candidate));
  result.push_back(last);
  return result;
}

}  // namespace

std::vector<Candidate> ranked_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                                         std::size_t scratch_limit, Precision precision) {
  std::vector<Candidate> result;
  const auto add = [&result](Candidate candidate) {
    const auto is_same = [&candidate](const Candidate& other) {
      return other.kernel == candidate.kernel && other.parameters == candidate.parameters &&
             other.mirrored == candidate.mirrored;
    };
    if (std::none_of(result.begin(), result.end(), is_same)) result.push_back(std::move(candidate));
  };
  for (Ranked& one : tuned_candidates(problem, configs, tuning, scratch_limit, precision))
    add(std::move(one.candidate));
  std::vector<Candidate> rules = candidates_by_rule(problem, configs, scratch_limit, precision);
  Candidate anywhere = std::move(rules.back());
  rules.pop_back();
  for (Candidate& candidate : rules) add(std::move(candidate));
  result.push_back(std::move(anywhere));
  return result;
}

}  // namespace clgemm
