#include "choose/ranking.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sizes.hpp"
#include "choose/candidates.hpp"
#include "choose/group_times.hpp"
#include "choose/speed_model.hpp"
#include "choose/tensor_cores.hpp"
#include "kernel/precision.hpp"
#include "plan/blocks.hpp"
#include "plan/k_split.hpp"
#include "plan/make_plan.hpp"

namespace clgemm {
namespace {

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

// What was measured far away, and perhaps at another time, says less: at twice the size the prediction counts
// half as much again. A guess.
constexpr double doubt = 0.5;

// The rules begin with what was measured to be the best; another must be predicted to be so many times as
// fast to take its place. So must one of the rules' to take the place of what was tuned. A guess of how far
// predictions can be trusted.
constexpr double rules_are_trusted = 1.1;

// The config with k in one part, and in as many as give each compute unit one or two work-groups: the plan's
// own number suits the tiles of the fastest kernels.
std::vector<Config> with_other_splits(const Config& config, const Plan& plan) {
  const bool has_a_say = config.parameters.count(split_parameter) != 0;
  if (!can_split_k(plan.first().multiply().manifest()) || has_a_say || plan.block_batch > 1) return {};
  const std::size_t groups = ceil_div(plan.block_m, plan.first().group_rows) *
                             ceil_div(plan.block_n, plan.first().group_columns) * plan.block_batch;
  std::vector<Config> result;
  for (const std::size_t parts :
       {std::size_t{1}, plan.compute_units / groups, 2 * plan.compute_units / groups}) {
    if (parts == plan.first().split.parts || parts == 0 || parts > max_parts) continue;
    result.push_back(config);
    result.back().parameters[split_parameter] = static_cast<std::int64_t>(parts);
  }
  return result;
}

class Ranker {
 public:
  Ranker(const Problem& problem, ConfigCache& configs, const Tuning& tuning, std::size_t scratch_limit,
         Precision precision)
      : problem_(problem),
        configs_(configs),
        device_(configs.device()),
        tuning_(tuning),
        scratch_limit_(scratch_limit),
        precision_(precision),
        rules_(candidates(problem, device_, precision)) {}

  Ranking rank() {
    add_sorted(tuned_candidates());
    Candidate anywhere = std::move(rules_.back());
    rules_.pop_back();
    add_sorted(candidates_by_rule());
    // Whatever is wrong with it, its own Error says best.
    if (const auto plan = try_plan(anywhere.config)) anywhere.seconds = seconds_of(*plan);
    result_.candidates.push_back(std::move(anywhere));
    return std::move(result_);
  }

 private:
  // A candidate, and by what it is sorted: its predicted seconds, more where they are not to be trusted.
  struct Ranked {
    Candidate candidate;
    double weight;
  };

  void add_sorted(std::vector<Ranked> ranked) {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& x, const Ranked& y) { return x.weight < y.weight; });
    for (Ranked& one : ranked) {
      const bool is_known =
          std::any_of(result_.candidates.begin(), result_.candidates.end(),
                      [&](const Candidate& other) { return other.config == one.candidate.config; });
      if (!is_known) result_.candidates.push_back(std::move(one.candidate));
    }
  }

  // Nothing where it cannot be planned.
  std::optional<Plan> try_plan(const Config& config) {
    try {
      return make_plan(problem_, config, configs_, scratch_limit_);
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
      return std::nullopt;
    }
  }

  std::optional<Plan> plan_or_reject(const Config& config) {
    try {
      return make_plan(problem_, config, configs_, scratch_limit_);
    } catch (const Error& error) {
      reject(config, error);
      return std::nullopt;
    }
  }

  // While `error` is being handled.
  void reject(const Config& config, const Error& error) {
    const std::optional<Fault> fault = fault_of(error.code());
    if (!fault) throw;
    const bool is_known = std::any_of(result_.rejected.begin(), result_.rejected.end(),
                                      [&](const Rejected& one) { return one.config == config; });
    if (!is_known) result_.rejected.push_back({config, *fault, error.what()});
  }

  bool is_batch_on_gpu() const { return device_.kind == DeviceKind::gpu && problem_.batch_count > 1; }

  // Whether the plan's kernel is allowed to the caller, and can take the batch as it is.
  bool serves(const Plan& plan) const {
    const Manifest& manifest = plan.first().multiply().manifest();
    return allows(precision_, manifest.precision) && (!problem_.listed || manifest.takes_lists());
  }

  double seconds_of(const Plan& plan) const { return predict(plan, device_).seconds(); }

  // A candidate whose time is so many times what the model says.
  void add_predicted(const Candidate& candidate, double factor, double handicap, std::vector<Ranked>& to) {
    const std::optional<Plan> plan = try_plan(candidate.config);
    if (!plan || !serves(*plan)) return;
    to.push_back({candidate, 0.0});
    to.back().candidate.seconds = seconds_of(*plan) * factor;
    to.back().weight = *to.back().candidate.seconds * handicap;
  }

  // What was measured, carried over to this problem by the ratio of the predictions: the same config, and
  // those that the rules have for its kernel, whose tiles may suit this problem better.
  std::vector<Ranked> tuned_candidates() {
    std::vector<Ranked> result;
    if (is_batch_on_gpu()) return result;  // what was measured on one small matrix says nothing of many
    for (const TunedMatch& match : tuning_.near(problem_, device_)) {
      const TunedEntry& entry = *match.entry;
      try {
        const Plan plan = make_plan(problem_, entry.config, configs_, scratch_limit_);
        if (!serves(plan) || !leaves_room(entry.config, problem_, device_)) continue;
        const Problem measured = measured_problem(entry, device_);
        const Plan there = make_plan(measured, entry.config, configs_, default_scratch_limit(device_));
        const double factor = entry.seconds / predict(there, device_).seconds();
        const double handicap = 1.0 + doubt * match.distance;
        const double seconds = seconds_of(plan) * factor;
        result.push_back({{entry.config, match.origin, seconds}, seconds * handicap});
        for (const Candidate& rule : rules_) {
          if (rule.config.kernel == entry.config.kernel)
            add_predicted(rule, factor, handicap * rules_are_trusted, result);
        }
      } catch (const Error& error) {
        reject(entry.config, error);
      }
    }
    // What was tuned for fp32 units does not keep tensor cores from their place.
    if (!result.empty() && allows(precision_, Precision::fp32_equivalent)) {
      for (const Candidate& candidate : tensor_core_candidates(problem_, device_)) {
        const std::optional<Plan> plan = try_plan(candidate.config);
        if (!plan || !serves(*plan)) continue;
        add_predicted(candidate, 1.0, 1.0, result);
        for (Config& other : with_other_splits(candidate.config, *plan))
          add_predicted({std::move(other), candidate.origin, {}}, 1.0, 1.0, result);
      }
    }
    return result;
  }

  // On GPUs the rules offer several kernels, and predictions find the best, and how to split k. On CPUs the
  // rules' order is that of the predictions, whatever the shape.
  std::vector<Ranked> candidates_by_rule() {
    const bool in_rules_order = device_.kind == DeviceKind::cpu;
    std::vector<Ranked> result;
    for (const Candidate& rule : rules_) {
      const std::optional<Plan> plan = plan_or_reject(rule.config);
      if (!plan || !serves(*plan)) continue;
      const bool is_measured = is_batch_on_gpu() || turns_seconds(*plan, device_, 1.0, 1.0).has_value();
      const double handicap = result.empty() || is_measured ? 1.0 : rules_are_trusted;
      const double seconds = seconds_of(*plan);
      result.push_back({rule, in_rules_order ? 0.0 : seconds * handicap});
      result.back().candidate.seconds = seconds;
      if (in_rules_order) continue;
      for (Config& other : with_other_splits(rule.config, *plan))
        add_predicted({std::move(other), rule.origin, {}}, 1.0, is_measured ? 1.0 : rules_are_trusted,
                      result);
    }
    return result;
  }

  const Problem& problem_;
  ConfigCache& configs_;
  const Device& device_;
  const Tuning& tuning_;
  std::size_t scratch_limit_;
  Precision precision_;
  std::vector<Candidate> rules_;
  Ranking result_;
};

}  // namespace

Ranking rank_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                        std::size_t scratch_limit, Precision precision) {
  return Ranker(problem, configs, tuning, scratch_limit, precision).rank();
}

}  // namespace clgemm
