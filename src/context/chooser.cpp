#include "context/chooser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "choose/tuning_files.hpp"
#include "context/self_test.hpp"

namespace clgemm {
namespace {

using Trust = DiskCache::Trust;

// A program that multiplies ever new shapes must not remember all of them.
constexpr std::size_t most_rankings = 1024;

// What lets the next candidate be tried, now and ever after: this device cannot run this kernel.
bool means_unusable(ErrorCode code) {
  return code == ErrorCode::requirement_failed || code == ErrorCode::device_limit_exceeded ||
         code == ErrorCode::build_failed || code == ErrorCode::invalid_kernel_file ||
         code == ErrorCode::invalid_parameter || code == ErrorCode::kernel_not_found ||
         code == ErrorCode::self_test_failed;
}

// Also true of no program. A program that another thread just found wrong is not.
bool is_trusted(const std::shared_ptr<BuiltKernel>& program) {
  return !program || program->trust == Trust::tested;
}

bool is_verified(const BuiltPlan& built) {
  const bool trusted = is_trusted(built.multiply) && is_trusted(built.pack_a) && is_trusted(built.pack_b) &&
                       is_trusted(built.pack_both) && is_trusted(built.otherwise) && is_trusted(built.reduce);
  return trusted || !self_tests_are_on();
}

// The plan with operands that need no packing and k in one part, to tell the faults of the multiply kernel
// from those of its helpers.
BuiltPlan without_helpers(BuiltPlan built) {
  built.plan.a.pack = nullptr;
  built.plan.b.pack = nullptr;
  built.plan.split.reduce = nullptr;
  return built;
}

// What a program of the plan is tried on.
std::vector<TestNumbers> numbers_for(const BuiltPlan& built, const std::shared_ptr<BuiltKernel>& program) {
  if (program == built.otherwise) return {TestNumbers::beyond_planes};
  if (built.pack_both) return {TestNumbers::integers, TestNumbers::large_a, TestNumbers::large_b};
  return {TestNumbers::integers};
}

void check_precision(const KernelConfig& kernel, Precision allowed) {
  if (allowed != Precision::fp32 || kernel.manifest().precision == Precision::fp32) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("Options::precision allows only fp32 units; the kernel '{}' uses others", kernel.name));
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

std::shared_ptr<const BuiltPlan> Chooser::choose(const Problem& problem, const Options& options,
                                                 std::size_t scratch_limit) {
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  if (const std::string name = named_kernel(options); !name.empty()) {
    const Candidate named{name, options.parameters, "named by the caller"};
    return std::make_shared<BuiltPlan>(
        plan_and_build(problem, named, configs(folder), scratch_limit, options.precision, Purpose::named));
  }
  if (!options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::parameters without Options::kernel or kernel_file: whose parameters?");
  }
  PlanKey key{problem, folder, scratch_limit, options.precision, count_of_given_up()};
  if (auto known = remembered_.find(key); known && is_verified(*known)) return known;
  auto chosen = choose_among(*ranking(problem, folder, scratch_limit, options.precision), problem, options,
                             configs(folder), scratch_limit);
  remembered_.keep(std::move(key), chosen);
  return chosen;
}

std::shared_ptr<const BuiltPlan> Chooser::choose_among(const std::vector<Candidate>& all,
                                                       const Problem& problem, const Options& options,
                                                       ConfigCache& cache, std::size_t scratch_limit) {
  for (const Candidate& candidate : all) {
    const bool is_last = &candidate == &all.back();
    if (!is_last && is_given_up(candidate, options)) continue;
    try {
      return std::make_shared<BuiltPlan>(
          plan_and_build(problem, candidate, cache, scratch_limit, options.precision, Purpose::chosen));
    } catch (const Error& error) {
      if (is_last || (!means_unusable(error.code()) && error.code() != ErrorCode::out_of_memory)) throw;
      if (means_unusable(error.code())) give_up(candidate, options, error.what());
    }
  }
  throw Error(ErrorCode::internal_error, "no candidate kernel");
}

Chooser::Ranking Chooser::ranking(const Problem& problem, const std::string& kernel_folder,
                                  std::size_t scratch_limit, Precision precision) {
  // Of offsets and the like only the alignment counts, so that all blocks of a large matrix are one problem.
  const auto alignment = [](std::size_t elements) { return elements % 64; };
  const auto key_of_operand = [&](const Operand& operand) {
    return std::array{std::size_t{operand.transposed},  alignment(operand.ld),
                      alignment(operand.offset),        alignment(operand.stride),
                      std::size_t{operand.stride == 0}, operand.base_alignment};
  };
  const RankingKey key{{problem.m, problem.n, problem.k, problem.batch_count, scratch_limit},
                       key_of_operand(problem.a),
                       key_of_operand(problem.b),
                       kernel_folder,
                       precision};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = rankings_.find(key); found != rankings_.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<Candidate>>(
      ranked_candidates(problem, configs(kernel_folder), tuning(), scratch_limit, precision));
  const std::lock_guard lock(mutex_);
  if (rankings_.size() >= most_rankings) rankings_.clear();
  return rankings_[key] = made;
}

const Tuning& Chooser::tuning() {
  std::call_once(tuning_read_, [this] { tuning_ = tuning_from_environment(); });
  return tuning_;
}

Chooser::CandidateKey Chooser::key_of(const Candidate& candidate, const Options& options) {
  return {kernel_folder_or_default(options.kernel_folder), candidate.kernel, candidate.parameters};
}

bool Chooser::give_up(const Candidate& candidate, const Options& options, const std::string& why) {
  log(LogLevel::info,
      fmt::format("not used: {} {}: {}", candidate.kernel, describe_values(candidate.parameters), why));
  const std::lock_guard lock(mutex_);
  return given_up_.insert({key_of(candidate, options), why}).second;
}

std::string Chooser::describe_given_up(const Options& options) {
  const std::string wanted_folder = kernel_folder_or_default(options.kernel_folder);
  const std::lock_guard lock(mutex_);
  std::string result;
  for (const auto& [candidate, why] : given_up_) {
    const auto& [folder, kernel, values] = candidate;
    if (folder != wanted_folder) continue;
    result += fmt::format("not used: {} {}: {}\n", kernel, describe_values(values), why);
  }
  return result;
}

BuiltPlan Chooser::plan_and_build(const Problem& problem, const Candidate& candidate, ConfigCache& cache,
                                  std::size_t scratch_limit, Precision precision, Purpose purpose) {
  Plan plan = make_plan(problem, candidate, cache, scratch_limit);
  check_precision(*plan.multiply, precision);
  BuiltPlan built = build(std::move(plan), programs_, purpose);
  if (purpose == Purpose::chosen) verify(built, problem);
  return built;
}

// Runs the self-test where a program of the plan has not passed one yet, in this process or an earlier one:
// first the multiply kernel alone, then with what packs for it and adds up its parts, so that only the one at
// fault goes into quarantine.
void Chooser::verify(const BuiltPlan& built, const Problem& stated) {
  if (is_verified(built)) return;
  const Problem problem = seen_by(built.plan.choice, stated);
  BuiltPlan tested = without_helpers(built);
  tested.plan.choice.mirrored = false;
  verify_program(tested, problem, built.multiply, *built.plan.multiply);
  if (built.pack_a) {
    tested.plan.a.pack = built.plan.a.pack;
    verify_program(tested, problem, built.pack_a, *built.plan.a.pack);
  }
  if (built.pack_b) {
    tested.plan.b.pack = built.plan.b.pack;
    verify_program(tested, problem, built.pack_b, *built.plan.b.pack);
  }
  if (built.pack_both) verify_program(tested, problem, built.pack_both, *built.plan.pack_both);
  if (built.otherwise) verify_program(tested, problem, built.otherwise, *built.plan.otherwise);
  if (built.reduce) {
    tested.plan.split.reduce = built.plan.split.reduce;
    verify_program(tested, problem, built.reduce, *built.plan.split.reduce);
  }
}

// Tests the one program of the plan that is not known to be right.
void Chooser::verify_program(const BuiltPlan& built, const Problem& problem,
                             const std::shared_ptr<BuiltKernel>& program, const KernelConfig& kernel) {
  const std::lock_guard lock(program->test_mutex);
  if (program->trust == Trust::untested) {
    const bool passed = at_boundary([&] {
      const auto all = numbers_for(built, program);
      return std::all_of(all.begin(), all.end(), [&](TestNumbers numbers) {
        return passes_self_test(built, problem, numbers, context_, device_);
      });
    });
    program->trust = passed ? Trust::tested : Trust::quarantined;
    program->is_new = true;
    // Where one launch packs both operands there is no multiply without it, and a wrong result says only that
    // one of the programs is at fault: that is not kept for other processes, which may have another.
    if (passed || !built.pack_both) programs_.keep(program);
  }
  if (program->trust == Trust::tested) return;
  throw Error(
      ErrorCode::self_test_failed,
      fmt::format(
          "the kernel '{}' with {} gave a wrong result in its self-test on '{}', driver {}, and is in "
          "quarantine",
          kernel.name, describe_values(kernel.values), info_.name, info_.driver_version));
}

bool Chooser::is_given_up(const Candidate& candidate, const Options& options) {
  const std::lock_guard lock(mutex_);
  return given_up_.count(key_of(candidate, options)) != 0;
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
