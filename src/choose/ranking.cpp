#include "choose/ranking.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/device_facts.hpp"
#include "choose/speed_model.hpp"
#include "kernel/precision.hpp"
#include "plan/make_plan.hpp"

namespace clgemm {
namespace {

// The most candidates, plus the best of each kernel. Later candidates are rarely used. But if a device's
// compiler gets one config of a kernel wrong, it may get all of them wrong.
constexpr std::size_t most_candidates = 12;

// The fraction of a CPU's cache, in eighths, that a kernel may use if it was measured on another CPU, which
// may have a larger cache. A and C pass through the cache as well. On an AVX-512 CPU with 1 MiB of its 2 MiB
// in use, panels of five eighths were the fastest.
constexpr std::size_t cache_eighths = 5;

// The factor by which a config of `estimate` must be expected to be faster than configs with measured rows,
// if those were measured on another device, because it may be so much slower than the peak of its units. The
// same applies to rows of kernels that copy into local memory if the measured device has another kind of
// local memory.
constexpr double margin_of_estimates = 1.2;

bool leaves_room(const KernelConfig& kernel, const Device& device) {
  return 8 * kernel.kept_bytes <= cache_eighths * device.local_bytes;
}

class Ranker {
 public:
  Ranker(const Problem& problem, ConfigCache& configs, const Tuning& tuning, std::size_t scratch_limit,
         Precision precision)
      : problem_(as_planned(problem)),
        configs_(configs),
        device_(configs.device()),
        tuning_(tuning),
        table_(usable_table(tuning, configs)),
        scratch_limit_(scratch_limit),
        precision_(precision) {}

  Ranking rank() {
    add_measured();
    reject_unusable();
    add_predicted();
    static const auto& stand_ins = *new std::vector(built_in_configs(&Manifest::stand_ins));
    for (const Config& config : stand_ins) add_stand_in(config);
    static const auto& run_anywhere = *new std::vector(built_in_configs(&Manifest::run_anywhere));
    for (const Config& config : run_anywhere) add_last(config);
    return std::move(result_);
  }

 private:
  // A config with the time of its plan.
  struct Predicted {
    Candidate candidate;
    Prediction prediction;
    double margin = 1.0;

    bool is_before(const Predicted& other) const {
      const auto order = [](const Predicted& one) {
        return std::pair(one.margin * one.prediction.seconds(), one.margin * one.prediction.device());
      };
      return order(*this) < order(other);
    }
  };

  // Returns nothing if the config cannot be planned.
  std::optional<Plan> try_plan(const Config& config) {
    try {
      return make_plan(problem_, config, configs_, scratch_limit_);
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
      return std::nullopt;
    }
  }

  // Call it while `error` is being handled.
  void reject(const Config& config, const Error& error) {
    const std::optional<Fault> fault = fault_of(error.code());
    if (!fault) throw;
    const bool is_known = std::any_of(result_.rejected.begin(), result_.rejected.end(),
                                      [&](const Rejected& one) { return one.config == config; });
    if (!is_known) result_.rejected.push_back({config, *fault, error.what()});
  }

  double seconds_of(const Plan& plan) const {
    return predict(plan, table_.speed_of(plan.first().gemm()), table_.rates, device_.kind).seconds();
  }

  bool is_allowed(const KernelConfig& kernel) const {
    const Manifest& manifest = kernel.manifest();
    if (problem_.listed && !manifest.takes_lists()) return false;
    return allows(precision_, manifest.precision) && problem_.k >= manifest.least_k &&
           problem_.k <= manifest.most_k;
  }

  void add_measured() {
    for (const TunedMatch& match : tuning_.measured(problem_, device_)) {
      const Config& config = match.entry->config;
      try {
        // It is planned as it was timed, by its name.
        Plan plan = plan_in_best_slices(problem_, config, table_, configs_, scratch_limit_);
        if (!is_allowed(plan.first().gemm())) continue;
        result_.candidates.push_back({std::move(plan.config), match.origin, match.entry->seconds});
        return;
      } catch (const Error& error) {
        reject(config, error);
      }
    }
  }

  // Rejects rows of this device that cannot be used, such as those of kernels of another version: the first
  // row of each file.
  void reject_unusable() {
    for (const SpeedTable& table : tuning_.tables(device_)) {
      if (table.file == table_.file || table.kin != Kinship::same || table.rows().empty()) return;
      const Config& config = table.rows().front().config;
      try {
        configs_.get(config.kernel, config.parameters);
      } catch (const Error& error) {
        reject(config, error);
      }
    }
  }

  // Returns the row's config for this problem, with the best number of slices along k; nothing if the row
  // does not apply.
  std::optional<Predicted> predicted(const ConfigRow& row) {
    const SharedConfig kernel = configs_.get(row.config.kernel, row.config.parameters);
    if (!is_allowed(*kernel) || kernel->vector > widest_cpu_vector(device_)) return std::nullopt;
    if (kernel->matrices > problem_.batch_count) return std::nullopt;  // part of a work-group would be idle
    if (table_.kin != Kinship::same && !suits(*kernel, device_)) return std::nullopt;
    // A kernel for a C of one column also works for a C of one row, because its transpose has one column.
    const bool mirrors = kernel->manifest().most_columns == 1 && problem_.m == 1 && problem_.n != 1;
    const auto [m, n] = mirrors ? std::pair(problem_.n, problem_.m) : std::pair(problem_.m, problem_.n);
    if (m > kernel->manifest().most_rows || n > kernel->manifest().most_columns) return std::nullopt;
    Config config = row.config;
    config.as_transpose = mirrors;
    Plan plan = outline_plan(problem_, config, configs_, scratch_limit_);
    const Prediction prediction =
        split_in_best_slices(plan, table_.speed_of(row, *kernel), table_.rates, configs_, scratch_limit_);
    if (can_split_k(kernel->manifest()) && device_.kind != DeviceKind::cpu)
      config.parameters[split_parameter] = static_cast<std::int64_t>(plan.first().split.wanted_slices);
    const bool is_guess = row.shapes == 0 || (kernel->into_local != 0 && table_.local_float_seconds > 0.0);
    return Predicted{{std::move(config), table_.origin_of(row), prediction.seconds()},
                     prediction,
                     is_guess ? margin_of_estimates : 1.0};
  }

  std::optional<Predicted> predicted_if_allowed(const ConfigRow& row) {
    try {
      return predicted(row);
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
      return std::nullopt;
    }
  }

  // Another device's rows may have configs that this device does not allow. They are reported only if a
  // relative's kernel has no other row that it allows.
  std::vector<Predicted> all_predicted() {
    std::vector<Predicted> result;
    std::set<std::string> allowed;
    std::map<std::string, Rejected> refused;
    for (const ConfigRow& row : table_.unmeasured) {
      if (auto one = predicted_if_allowed(row)) result.push_back(std::move(*one));
    }
    for (const ConfigRow& row : table_.rows()) {
      try {
        if (const auto one = predicted(row)) result.push_back(*one);
        allowed.insert(row.config.kernel);
      } catch (const Error& error) {
        const auto fault = fault_of(error.code());
        if (!fault) throw;
        if (table_.kin == Kinship::same || *fault == Fault::bad_kernel || *fault == Fault::no_scratch) {
          reject(row.config, error);
        } else if (table_.kin == Kinship::family) {
          refused.emplace(row.config.kernel, Rejected{row.config, *fault, error.what()});
        }
      }
    }
    for (auto& [kernel, one] : refused) {
      if (allowed.count(kernel) == 0) result_.rejected.push_back(std::move(one));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Predicted& x, const Predicted& y) { return x.is_before(y); });
    return result;
  }

  // Adds the best configs, and after them the best config of each other kernel.
  void add_predicted() {
    std::set<std::string> kernels;
    std::size_t added = 0;
    for (Predicted& one : all_predicted()) {
      const bool is_first_of_kernel = kernels.insert(one.candidate.config.kernel).second;
      if (added++ >= most_candidates && !is_first_of_kernel) continue;
      const bool is_known =
          std::any_of(result_.candidates.begin(), result_.candidates.end(),
                      [&](const Candidate& other) { return other.config == one.candidate.config; });
      if (!is_known) result_.candidates.push_back(std::move(one.candidate));
    }
  }

  // Adds the config behind all rows, if no row is for this kernel.
  void add_stand_in(const Config& config) {
    Candidate other{config, {Source::fitted_elsewhere, "a guess"}, {}};
    const auto is_of_kernel = [&](const Candidate& one) { return one.config.kernel == other.config.kernel; };
    if (std::any_of(result_.candidates.begin(), result_.candidates.end(), is_of_kernel)) return;
    const auto plan = try_plan(other.config);
    if (!plan || !is_allowed(plan->first().gemm())) return;
    other.seconds = seconds_of(*plan);
    result_.candidates.push_back(std::move(other));
  }

  void add_last(const Config& config) {
    Candidate last{config, {Source::anywhere, {}}, {}};
    last.config.parameters[split_parameter] = 1;
    // If something is wrong with it, its own Error describes it best.
    if (const auto plan = try_plan(last.config)) last.seconds = seconds_of(*plan);
    result_.candidates.push_back(std::move(last));
  }

  const Problem problem_;
  ConfigCache& configs_;
  const Device& device_;
  const Tuning& tuning_;
  SpeedTable table_;
  std::size_t scratch_limit_;
  Precision precision_;
  Ranking result_;
};

}  // namespace

SpeedTable usable_table(const Tuning& tuning, ConfigCache& configs) {
  std::vector<SpeedTable> tables = tuning.tables(configs.device());
  const auto is_usable = [&](const ConfigRow& row) {
    try {
      configs.get(row.config.kernel, row.config.parameters);
      return true;
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
      return false;
    }
  };
  if (tables.empty()) {
    SpeedTable guesses;
    guesses.rates.multiply_adds = peaks_of(configs.device()).of_device();
    return guesses;
  }
  const auto usable = std::find_if(tables.begin(), tables.end(), [&](const SpeedTable& table) {
    return std::any_of(table.rows().begin(), table.rows().end(), is_usable);
  });
  SpeedTable result = std::move(usable == tables.end() ? tables.front() : *usable);
  if (result.kin != Kinship::same) result.unmeasured = roofline_rows(configs, result.most_multiply_adds);
  return result;
}

bool suits(const KernelConfig& kernel, const Device& device) {
  if (!leaves_room(kernel, device)) return false;
  if (device.kind != DeviceKind::gpu) return true;
  const DeviceFacts facts = facts_of(device);
  return kernel.work_items() >= facts.sub_group && kernel.results <= facts.most_results;
}

Plan plan_in_best_slices(const Problem& problem, const Config& config, const SpeedTable& table,
                         ConfigCache& configs, std::size_t scratch_limit) {
  Plan plan = make_plan(problem, config, configs, scratch_limit);
  const ConfigSpeed speed = table.speed_of(plan.first().gemm());
  split_in_best_slices(plan, speed, table.rates, configs, scratch_limit);
  if (const std::size_t slices = plan.first().split.wanted_slices; slices != 1)
    plan.config.parameters[split_parameter] = static_cast<std::int64_t>(slices);
  return plan;
}

Ranking rank_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                        std::size_t scratch_limit, Precision precision) {
  return Ranker(problem, configs, tuning, scratch_limit, precision).rank();
}

}  // namespace clgemm
