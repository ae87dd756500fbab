#include "context/chooser.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "choose/speed_model.hpp"
#include "choose/tuning_files.hpp"
#include "context/log_lines.hpp"
#include "kernel/precision.hpp"
#include "plan/make_plan.hpp"

namespace clgemm {
namespace {

// A program that multiplies ever new shapes must not remember all of them. Some kilobytes each, by a guess a
// few megabytes in all; more shapes than that are ranked anew, some hundreds of microseconds each
// (speed_model_test).
constexpr std::size_t most_rankings = 1024;

void check_precision(const KernelConfig& kernel, Precision allowed) {
  const Precision needed = kernel.manifest().precision;
  if (allows(allowed, needed)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("Options::precision allows only {} units; the kernel '{}' uses others",
                          to_string(allowed), kernel.name));
}

}  // namespace

std::string named_kernel(const Options& options) {
  if (options.kernel_file.empty()) return options.kernel;
  if (!options.kernel.empty()) {
    throw Error(ErrorCode::invalid_argument, "Options::kernel and Options::kernel_file: which of the two?");
  }
  const bool has_folder = options.kernel_file.find('/') != std::string::npos;
  return has_folder ? options.kernel_file : "./" + options.kernel_file;
}

std::shared_ptr<const ChosenPlan> Chooser::choose(const Problem& problem, const Options& options,
                                                  std::size_t scratch_limit) {
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  if (std::string name = named_kernel(options); !name.empty()) {
    return std::make_shared<ChosenPlan>(choose_named(problem, {std::move(name), options.parameters}, options,
                                                     configs(folder), scratch_limit));
  }
  if (!options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::parameters without Options::kernel or kernel_file: whose parameters?");
  }
  PlanKey key{problem, folder, scratch_limit, options.precision, count_of_given_up()};
  if (auto known = remembered_.find(key); known && is_trusted(known->built)) return known;
  const auto chosen =
      std::make_shared<ChosenPlan>(choose_among(*ranking(problem, folder, scratch_limit, options.precision),
                                                problem, options, configs(folder), scratch_limit));
  remembered_.keep(std::move(key), chosen);
  log_choice(problem, chosen->choice);
  return chosen;
}

double Chooser::predicted_seconds(const Problem& problem, const Options& options, std::size_t scratch_limit) {
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  if (const std::string name = named_kernel(options); !name.empty()) {
    ConfigCache& cache = configs(folder);
    return predicted_of(plan_named(problem, {name, options.parameters}, cache, scratch_limit), cache);
  }
  const std::shared_ptr<const Ranking> ranked = ranking(problem, folder, scratch_limit, options.precision);
  for (const Candidate& candidate : ranked->candidates) {
    if (!why_given_up(candidate.config, options)) return candidate.seconds.value();
  }
  throw Error(ErrorCode::internal_error, "no candidate kernel");
}

double Chooser::predicted_of(const Plan& plan, ConfigCache& cache) {
  const SpeedTable table = usable_table(tuning(), cache);
  return predict(plan, table.speed_of(plan.first().multiply()), table.rates, cache).seconds();
}

bool Chooser::takes_lists(const Options& options) {
  ConfigCache& cache = configs(kernel_folder_or_default(options.kernel_folder));
  return cache.get(named_kernel(options), options.parameters, {})->manifest().takes_lists();
}

ChosenPlan Chooser::choose_named(const Problem& problem, Config config, const Options& options,
                                 ConfigCache& cache, std::size_t scratch_limit) {
  Plan plan = plan_named(problem, config, cache, scratch_limit);
  check_precision(plan.first().multiply(), options.precision);
  BuiltPlan built = build(std::move(plan), programs_, Purpose::named);
  const double seconds = predicted_of(built.plan, cache);
  return {{{std::move(config), {Source::named, {}}, seconds}, {}, {}}, std::move(built)};
}

Plan Chooser::plan_named(const Problem& problem, Config config, ConfigCache& cache,
                         std::size_t scratch_limit) {
  return plan_in_best_parts(problem, config, usable_table(tuning(), cache), cache, scratch_limit);
}

ChosenPlan Chooser::choose_among(const Ranking& ranking, const Problem& problem, const Options& options,
                                 ConfigCache& cache, std::size_t scratch_limit) {
  std::vector<Rejected> rejected = ranking.rejected;
  for (const Rejected& one : rejected) {
    if (one.fault != Fault::no_scratch) give_up(one.config, options, one.why);
  }
  for (auto candidate = ranking.candidates.begin(); candidate != ranking.candidates.end(); ++candidate) {
    const Config& config = candidate->config;
    const bool is_last = std::next(candidate) == ranking.candidates.end();
    if (const auto why = why_given_up(config, options); why && !is_last) {
      rejected.push_back({config, Fault::given_up, *why});
      continue;
    }
    try {
      BuiltPlan built = plan_and_build(problem, config, cache, scratch_limit, options.precision);
      return {{*candidate, {std::next(candidate), ranking.candidates.end()}, std::move(rejected)},
              std::move(built)};
    } catch (const Error& error) {
      const std::optional<Fault> fault = fault_of(error.code());
      if (is_last || !fault) throw;
      if (*fault != Fault::no_scratch) give_up(config, options, error.what());
      rejected.push_back({config, *fault, error.what()});
    }
  }
  throw Error(ErrorCode::internal_error, "no candidate kernel");
}

std::shared_ptr<const Ranking> Chooser::ranking(const Problem& problem, const std::string& kernel_folder,
                                                std::size_t scratch_limit, Precision precision) {
  const Problem ranked = as_ranked(problem);
  const auto key_of_operand = [](const Operand& operand) {
    return std::array{std::size_t{operand.transposed}, operand.ld, operand.offset, operand.stride,
                      operand.base_alignment};
  };
  const RankingKey key{{ranked.m, ranked.n, ranked.k, ranked.batch_count, std::size_t{ranked.listed},
                        ranked.c.ld, scratch_limit},
                       key_of_operand(ranked.a),
                       key_of_operand(ranked.b),
                       kernel_folder,
                       precision};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = rankings_.find(key); found != rankings_.end()) return found->second;
  }
  auto made = std::make_shared<const Ranking>(
      rank_candidates(problem, configs(kernel_folder), tuning(), scratch_limit, precision));
  const std::lock_guard lock(mutex_);
  if (rankings_.insert_or_assign(key, made).second) rankings_by_age_.push_back(key);
  if (rankings_by_age_.size() > most_rankings) {
    rankings_.erase(rankings_by_age_.front());
    rankings_by_age_.pop_front();
  }
  return made;
}

const Tuning& Chooser::tuning() {
  std::call_once(tuning_read_, [this] {
    tuning_ = tuning_from_environment();
    if (logs(LogLevel::info))
      log_tuning(tuning_, usable_table(tuning_, configs(kernel_folder_or_default({}))), info_);
  });
  return tuning_;
}

Chooser::GivenUpKey Chooser::key_of(const Config& config, const Options& options) {
  return {kernel_folder_or_default(options.kernel_folder), config.kernel, config.parameters};
}

bool Chooser::give_up(const Config& config, const Options& options, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!given_up_.insert({key_of(config, options), why}).second) return false;
  }
  log(LogLevel::info, fmt::format("not used: {}: {}", to_string(config), why));
  return true;
}

std::optional<std::string> Chooser::why_given_up(const Config& config, const Options& options) {
  const std::lock_guard lock(mutex_);
  const auto found = given_up_.find(key_of(config, options));
  return found == given_up_.end() ? std::nullopt : std::optional(found->second);
}

BuiltPlan Chooser::plan_and_build(const Problem& problem, const Config& config, ConfigCache& cache,
                                  std::size_t scratch_limit, Precision precision) {
  Plan plan = make_plan(problem, config, cache, scratch_limit);
  check_precision(plan.first().multiply(), precision);
  BuiltPlan built = build(std::move(plan), programs_, Purpose::chosen);
  verifier_.verify(built);
  return built;
}

std::size_t Chooser::count_of_given_up() {
  const std::lock_guard lock(mutex_);
  return given_up_.size();
}

ConfigCache& Chooser::configs(const std::string& kernel_folder) {
  const std::lock_guard lock(mutex_);
  auto& cache = configs_[kernel_folder];
  if (!cache) cache = std::make_unique<ConfigCache>(info_, kernel_folder);
  return *cache;
}

}  // namespace clgemm
