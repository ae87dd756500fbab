#include "context/chooser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/forked.hpp"
#include "base/log.hpp"
#include "base/platform/library.hpp"
#include "choose/speed_model.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/precision.hpp"
#include "log/log_lines.hpp"
#include "plan/launches.hpp"
#include "plan/make_plan.hpp"
#include "probe/probe.hpp"

namespace clgemm {
namespace {

void check_precision(const KernelConfig& kernel, Precision allowed) {
  const Precision needed = kernel.manifest().precision;
  if (allows(allowed, needed)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("Options::precision allows only {} units, but the kernel '{}' uses other units",
                          to_string(allowed), kernel.name));
}

// The most spilling configs that are compiled, because each takes time. The next config is used in any case.
constexpr std::size_t most_that_spill = 6;

// A few spilled registers may be outside the loop: clang and NVIDIA's assembler spill 16 bytes of fp16x3_mma
// on sm_80. Spills that slowed loops down in the code of other compilers began at 128 bytes. This is a guess
// between the two.
constexpr std::size_t harmless_bytes = 64;

// Returns true if the candidate's kernel spills and its prediction did not include that.
bool spills_newly(const BuiltPlan& built, Candidate& candidate) {
  const std::size_t bytes = built.stages.front()[ProgramRole::gemm]->spilled_bytes;
  if (bytes <= harmless_bytes || candidate.spilled_bytes != 0 || !is_in_doubt(candidate)) return false;
  candidate.spilled_bytes = bytes;
  if (candidate.seconds) *candidate.seconds *= slower_if_it_spills;
  return true;
}

// The most plans in the making, because each has a thread. The number is a guess.
constexpr std::size_t most_in_the_making = 8;

// Returns whether the first stage alone knows whether the other stages have anything to do.
bool is_one_product(const Plan& plan) {
  return plan.problem.batch_count == 1 && is_last(first_block(plan), plan.problem);
}

std::string why_it_waits(const Candidate& candidate) {
  return fmt::format(
      "as compiled for this device, {} bytes do not fit in the registers and are spilled to memory",
      candidate.spilled_bytes);
}

// Inserts the candidate before the first one that is expected to take longer.
void put_back(Candidate candidate, std::deque<Candidate>& waiting) {
  const auto place = std::find_if(waiting.begin(), waiting.end(), [&](const Candidate& other) {
    return !other.seconds || (candidate.seconds && *other.seconds > *candidate.seconds);
  });
  waiting.insert(place, std::move(candidate));
}

}  // namespace

// The Choosers of all Contexts, also of those that are never destroyed. A driver may crash if it still
// compiles when it is shut down, so the end of the process waits for it.
class Chooser::Alive {
 public:
  void add(Chooser* one) {
    const std::lock_guard lock(mutex_);
    all_.insert(one);
  }
  void remove(Chooser* one) {
    const std::lock_guard lock(mutex_);
    all_.erase(one);
  }

  // The first call comes after the drivers were loaded, so their own work at the end comes after this.
  void wait_at_exit() {
    std::call_once(registered_, [] { std::atexit([] { alive().finish_building(); }); });
  }

  // Returns true if the process is ending, so that nothing may be built by other threads any more.
  bool is_ending() const { return is_ending_; }

 private:
  void finish_building() {
    if (is_forked_child()) return;  // it has no such threads
    is_ending_ = true;
    const std::lock_guard lock(mutex_);
    for (Chooser* one : all_) one->finish_building();
  }

  std::once_flag registered_;
  std::atomic<bool> is_ending_{false};
  std::mutex mutex_;
  std::set<Chooser*> all_;
};

Chooser::Alive& Chooser::alive() {
  static auto* const instance = new Alive;  // never destroyed, because the order of destruction is unknown
  return *instance;
}

Chooser::Chooser(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs)
    : context_(context),
      device_(device),
      info_(info),
      programs_(programs),
      verifier_(std::move(context), std::move(device), info, programs) {
  alive().add(this);
}

Chooser::~Chooser() {
  finish_building();
  alive().remove(this);
}

std::string named_kernel(const Options& options) {
  if (options.kernel_file.empty()) return options.kernel;
  if (!options.kernel.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::kernel and Options::kernel_file are both set; set only one of them");
  }
  const bool has_folder = std::filesystem::path(options.kernel_file).has_parent_path();
  return has_folder ? options.kernel_file : "./" + options.kernel_file;
}

PlanKey Chooser::key_of(const Problem& problem, const Options& options, std::size_t scratch_limit) {
  std::string name = named_kernel(options);
  if (name.empty() && !options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::parameters is set, but neither Options::kernel nor Options::kernel_file is");
  }
  return {as_planned(problem),
          kernel_folder_or_default(options.kernel_folder),
          scratch_limit,
          options.precision,
          {std::move(name), options.parameters}};
}

std::shared_ptr<const ChosenPlan> Chooser::choose(const Problem& problem, const Options& options,
                                                  std::size_t scratch_limit, Needs needs) {
  const PlanKey key = key_of(problem, options, scratch_limit);
  const bool is_named = !key.named.kernel.empty();
  const Remembered known = remembered_.find(key);
  const auto ranked = is_named ? nullptr : ranking(key, known, options);
  const std::size_t excluded = is_named ? 0 : count_of_excluded_.load();
  if (known.plan && known.excluded == excluded && (is_named || is_trusted(known.plan->built))) {
    if (auto plan = completed(known, key, options, needs)) return plan;
    needs = Needs::all_stages;  // so that this call gets the error, if it comes again
  }
  auto chosen = std::make_shared<const ChosenPlan>(is_named ? choose_named(key)
                                                            : choose_among(*ranked, key, options, needs));
  remembered_.keep(key, {nullptr, chosen, excluded});
  if (!is_named) log_choice(problem, chosen->choice);
  return chosen;
}

std::shared_ptr<const ChosenPlan> Chooser::completed(const Remembered& known, const PlanKey& key,
                                                     const Options& options, Needs needs) {
  const PlanInTheMaking& whole = known.plan->whole;
  if (!whole.valid() || (needs == Needs::first_stage && !is_ready(whole))) return known.plan;
  try {
    auto complete = std::make_shared<const ChosenPlan>(ChosenPlan{known.plan->choice, *whole.get(), {}});
    remembered_.keep(key, {nullptr, complete, known.excluded});
    return complete;
  } catch (const Error& error) {
    log(LogLevel::info, fmt::format("the fallback was not built: {}", error.what()));
    const std::optional<Fault> fault = fault_of(error.code());
    if (fault && fault != Fault::no_scratch) exclude(known.plan->choice.chosen.config, options, error.what());
    return nullptr;
  }
}

double Chooser::predicted_seconds(const Problem& problem, const Options& options, std::size_t scratch_limit) {
  const PlanKey key = key_of(problem, options, scratch_limit);
  if (!key.named.kernel.empty()) {
    ConfigCache& cache = configs(key.kernel_folder);
    return predicted_of(plan_named(key), cache);
  }
  const std::shared_ptr<const Ranking> ranked = ranking(key, remembered_.find(key), options);
  for (const Candidate& candidate : ranked->candidates) {
    if (!why_excluded(candidate.config, options)) return candidate.seconds.value();
  }
  throw Error(ErrorCode::internal_error, "there is no candidate kernel");
}

double Chooser::predicted_of(const Plan& plan, ConfigCache& cache) {
  const SpeedTable table = usable_table(tuning(), cache);
  return predict(plan, table.speed_of(plan.first().gemm()), table.rates, info_.kind).seconds();
}

bool Chooser::takes_lists(const Options& options) {
  ConfigCache& cache = configs(kernel_folder_or_default(options.kernel_folder));
  return cache.get(named_kernel(options), options.parameters)->manifest().takes_lists();
}

ChosenPlan Chooser::choose_named(const PlanKey& key) {
  Plan plan = plan_named(key);
  check_precision(plan.first().gemm(), key.precision);
  BuiltPlan built = build(std::move(plan), programs_, Purpose::named);
  const double seconds = predicted_of(built.plan, configs(key.kernel_folder));
  return {{{key.named, {Source::named, {}}, seconds}, {}, {}}, std::move(built), {}};
}

Plan Chooser::plan_named(const PlanKey& key) {
  ConfigCache& cache = configs(key.kernel_folder);
  return plan_in_best_slices(key.problem, key.named, usable_table(tuning(), cache), cache, key.scratch_limit);
}

ChosenPlan Chooser::choose_among(const Ranking& ranking, const PlanKey& key, const Options& options,
                                 Needs needs) {
  std::vector<Rejected> rejected = ranking.rejected;
  std::size_t spilling = 0;
  std::deque<Candidate> waiting(ranking.candidates.begin(), ranking.candidates.end());
  while (!waiting.empty()) {
    Candidate candidate = std::move(waiting.front());
    waiting.pop_front();
    const Config& config = candidate.config;
    const bool is_last = waiting.empty();
    if (const auto why = why_excluded(config, options); why && !is_last) {
      rejected.push_back({config, Fault::excluded, *why});
      continue;
    }
    try {
      const Plan plan = plan_of(config, key);
      const bool begins = needs == Needs::first_stage && !is_last && is_one_product(plan) && can_begin(plan);
      BuiltPlan built = build(begins ? first_stage_of(plan) : plan, programs_, Purpose::chosen);
      if (!is_last && spilling < most_that_spill && spills_newly(built, candidate)) {
        ++spilling;
        const std::string why = why_it_waits(candidate);
        log_once(LogLevel::info, fmt::format("not used: {}: {}", to_string(config), why));
        rejected.push_back({config, Fault::spills, why});
        programs_.keep(built.stages.front()[ProgramRole::gemm]);
        put_back(std::move(candidate), waiting);
        continue;
      }
      verifier_.verify(built);
      std::erase_if(waiting, [](const Candidate& one) { return one.spilled_bytes != 0; });
      std::erase_if(rejected, [&](const Rejected& one) {
        return one.fault == Fault::spills && one.config == candidate.config;
      });
      return {{std::move(candidate), {waiting.begin(), waiting.end()}, std::move(rejected)},
              std::move(built),
              begins ? build_aside(plan) : PlanInTheMaking{}};
    } catch (const Error& error) {
      const std::optional<Fault> fault = fault_of(error.code());
      if (is_last || !fault) throw;
      if (*fault != Fault::no_scratch) exclude(config, options, error.what());
      rejected.push_back({config, *fault, error.what()});
    }
  }
  throw Error(ErrorCode::internal_error, "there is no candidate kernel");
}

std::shared_ptr<const Ranking> Chooser::ranking(const PlanKey& key, const Remembered& known,
                                                const Options& options) {
  if (known.ranking) return known.ranking;
  auto made = std::make_shared<const Ranking>(
      rank_candidates(key.problem, configs(key.kernel_folder), tuning(), key.scratch_limit, key.precision));
  for (const Rejected& one : made->rejected) {
    if (one.fault != Fault::no_scratch) exclude(one.config, options, one.why);
  }
  remembered_.keep(key, {made, nullptr, 0});
  return made;
}

const Tuning& Chooser::tuning() {
  std::call_once(tuning_read_, [this] { read_tuning(); });
  return tuning_;
}

void Chooser::read_tuning() {
  tuning_ = tuning_from_environment();
  ConfigCache& cache = configs(kernel_folder_or_default({}));
  const SpeedTable table = usable_table(tuning_, cache);
  rates_ = table.rates;
  has_own_rows_ = table.kin == Kinship::same;
  if (logs(LogLevel::info)) log_tuning(tuning_, table, info_);
  if (!gain_by_probe(table, info_.kind)) return;
  probed_ = probe(context_, device_, info_);
  if (!probed_) return;
  tuning_.scale_by(*probed_);
  rates_ = usable_table(tuning_, cache).rates;
}

Chooser::ExcludedKey Chooser::key_of(const Config& config, const Options& options) {
  return {kernel_folder_or_default(options.kernel_folder), config.kernel, config.parameters};
}

bool Chooser::exclude(const Config& config, const Options& options, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!excluded_.insert({key_of(config, options), why}).second) return false;
    count_of_excluded_ = excluded_.size();
  }
  log(LogLevel::info, fmt::format("not used: {}: {}", to_string(config), why));
  return true;
}

std::optional<std::string> Chooser::why_excluded(const Config& config, const Options& options) {
  const std::lock_guard lock(mutex_);
  const auto found = excluded_.find(key_of(config, options));
  return found == excluded_.end() ? std::nullopt : std::optional(found->second);
}

Plan Chooser::plan_of(const Config& config, const PlanKey& key) {
  Plan plan = make_plan(key.problem, config, configs(key.kernel_folder), key.scratch_limit);
  check_precision(plan.first().gemm(), key.precision);
  return plan;
}

bool Chooser::can_begin(const Plan& plan) {
  if (threads_end_before_libraries()) return false;
  bool has_all = true;
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    has_all = has_all && (stage == 0 || programs_.is_built(plan.stages[stage].programs[role]));
  });
  return !has_all;
}

PlanInTheMaking Chooser::build_aside(const Plan& plan) {
  const auto build_whole = [this, plan] {
    return at_boundary([&] {
      auto whole = std::make_shared<const BuiltPlan>(build(plan, programs_, Purpose::chosen));
      verifier_.verify(*whole);
      for_each_program(
          plan, [&](std::size_t stage, ProgramRole role) { programs_.keep(whole->stages[stage][role]); });
      return whole;
    });
  };
  alive().wait_at_exit();
  const std::lock_guard lock(mutex_);
  std::erase_if(in_the_making_, is_ready);
  try {
    if (!alive().is_ending() && in_the_making_.size() < most_in_the_making) {
      in_the_making_.reserve(most_in_the_making);
      in_the_making_.push_back(std::async(std::launch::async, build_whole));
      return in_the_making_.back();
    }
  } catch (const std::system_error&) {
    log(LogLevel::debug, "no thread could be started to build a fallback");
  }
  return std::async(std::launch::deferred, build_whole);  // the next call builds it
}

void Chooser::finish_building() {
  std::vector<PlanInTheMaking> plans;
  {
    const std::lock_guard lock(mutex_);
    plans = in_the_making_;
  }
  for (const PlanInTheMaking& plan : plans) plan.wait();
}

ConfigCache& Chooser::configs(const std::string& kernel_folder) {
  const std::lock_guard lock(mutex_);
  auto& cache = configs_[kernel_folder];
  if (!cache) cache = std::make_unique<ConfigCache>(info_, kernel_folder);
  return *cache;
}

}  // namespace clgemm
