#include "ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cost.hpp"
#include "error.hpp"
#include "log.hpp"
#include "plan.hpp"

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

// What was measured far away, and perhaps at another time, says less: at twice the size the estimate counts
// half as much again.
constexpr double doubt = 0.5;

// What was measured, carried over to this problem by the ratio of the estimates.
std::vector<Ranked> tuned_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                                     std::size_t scratch_limit) {
  const Device& device = configs.device();
  std::vector<Ranked> result;
  for (const TunedChoice& choice : tuning.near(problem, device)) {
    const TunedEntry& entry = *choice.entry;
    const Candidate candidate{entry.kernel, entry.parameters, choice.reason};
    try {
      const double here = estimate(problem, candidate, configs, scratch_limit);
      const double there =
          estimate(measured_problem(entry, device), candidate, configs, default_scratch_limit(device));
      result.push_back({candidate, entry.seconds * here / there * (1.0 + doubt * choice.distance)});
    } catch (const Error& error) {
      log(LogLevel::info, fmt::format("tuned config not used: {}: {}", choice.reason, error.what()));
    }
  }
  sort_by_time(result);
  return result;
}

// On GPUs the rules offer several kernels, and estimates find the best. One that cannot be planned keeps its
// place behind the others: what is wrong with it is said where it is tried. On CPUs the rules' order is that
// of the estimates, whatever the shape.
std::vector<Candidate> candidates_by_rule(const Problem& problem, ConfigCache& configs,
                                          std::size_t scratch_limit) {
  std::vector<Candidate> rules = candidates(problem, configs.device());
  if (configs.device().kind == DeviceKind::cpu) return rules;
  const Candidate last = rules.back();
  rules.pop_back();
  std::vector<Ranked> ranked;
  for (Candidate& candidate : rules) {
    double seconds = std::numeric_limits<double>::infinity();
    try {
      seconds = estimate(problem, candidate, configs, scratch_limit);
    } catch (const Error&) {
      seconds = std::numeric_limits<double>::infinity();
    }
    ranked.push_back({std::move(candidate), seconds});
  }
  sort_by_time(ranked);
  std::vector<Candidate> result;
  for (Ranked& one : ranked) result.push_back(std::move(one.candidate));
  result.push_back(last);
  return result;
}

}  // namespace

std::vector<Candidate> ranked_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                                         std::size_t scratch_limit) {
  std::vector<Candidate> result;
  for (Ranked& one : tuned_candidates(problem, configs, tuning, scratch_limit))
    result.push_back(std::move(one.candidate));
  for (Candidate& candidate : candidates_by_rule(problem, configs, scratch_limit))
    result.push_back(std::move(candidate));
  return result;
}

}  // namespace clgemm
