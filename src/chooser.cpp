#include "chooser.hpp"

#include <fmt/format.h>

#include <array>

#include "error.hpp"
#include "log.hpp"
#include "self_test.hpp"

namespace clgemm {
namespace {

using Trust = DiskCache::Trust;

// What lets the next candidate be tried, now and ever after: this device cannot run this kernel.
bool means_unusable(ErrorCode code) {
  return code == ErrorCode::requirement_failed || code == ErrorCode::device_limit_exceeded ||
         code == ErrorCode::build_failed || code == ErrorCode::self_test_failed;
}

// The programs that a test of this plan would teach something about.
std::vector<std::shared_ptr<BuiltKernel>> untested(const BuiltPlan& built) {
  std::vector<std::shared_ptr<BuiltKernel>> result;
  for (const auto& program : {built.multiply, built.pack_a, built.pack_b}) {
    if (program && program->trust == Trust::untested) result.push_back(program);
  }
  return result;
}

}  // namespace

BuiltPlan Chooser::choose(const Problem& problem, const Options& options, std::size_t scratch_limit) {
  if (!options.kernel.empty()) {
    const Candidate named{options.kernel, options.parameters, "named by the caller"};
    return plan_and_build(problem, named, options, scratch_limit, Purpose::named);
  }
  if (!options.parameters.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "Options::parameters without Options::kernel: whose parameters?");
  }
  const std::vector<Candidate> all = candidates(problem, info_);
  for (const Candidate& candidate : all) {
    const bool is_last = &candidate == &all.back();
    if (!is_last && is_given_up(candidate)) continue;
    try {
      return plan_and_build(problem, candidate, options, scratch_limit, Purpose::chosen);
    } catch (const Error& error) {
      if (is_last || (!means_unusable(error.code()) && error.code() != ErrorCode::out_of_memory)) throw;
      if (means_unusable(error.code())) give_up(candidate, error.what());
    }
  }
  throw Error(ErrorCode::internal_error, "no candidate kernel");
}

bool Chooser::give_up(const Candidate& candidate, const std::string& why) {
  log(LogLevel::info,
      fmt::format("not used: {} {}: {}", candidate.kernel, describe_values(candidate.parameters), why));
  const std::lock_guard lock(mutex_);
  return given_up_.insert({{candidate.kernel, candidate.parameters}, why}).second;
}

std::string Chooser::describe_given_up() {
  const std::lock_guard lock(mutex_);
  std::string result;
  for (const auto& [candidate, why] : given_up_) {
    result += fmt::format("not used: {} {}: {}\n", candidate.first, describe_values(candidate.second), why);
  }
  return result;
}

BuiltPlan Chooser::plan_and_build(const Problem& problem, const Candidate& candidate, const Options& options,
                                  std::size_t scratch_limit, Purpose purpose) {
  ConfigCache& cache = configs(kernel_folder_or_default(options.kernel_folder));
  BuiltPlan built = build(make_plan(problem, candidate, cache, scratch_limit), programs_, purpose);
  if (purpose == Purpose::chosen) verify(built, problem);
  return built;
}

// Runs the self-test where a program of the plan has not passed one yet, in this process or an earlier one.
void Chooser::verify(const BuiltPlan& built, const Problem& problem) {
  if (untested(built).empty() || !self_tests_are_on()) return;
  const std::lock_guard lock(built.multiply->test_mutex);
  const auto programs = untested(built);
  if (programs.empty()) return;
  const bool passed = passes_self_test(built, problem, context_, device_);
  for (const auto& program : programs) {
    program->trust = passed ? Trust::tested : Trust::quarantined;
    program->is_new = true;
    programs_.keep(program);
  }
  if (passed) return;
  const KernelConfig& kernel = *built.plan.multiply;
  throw Error(
      ErrorCode::self_test_failed,
      fmt::format(
          "the kernel '{}' with {} gave a wrong result in its self-test on '{}', driver {}, and is in "
          "quarantine",
          kernel.name, describe_values(kernel.values), info_.name, info_.driver_version));
}

bool Chooser::is_given_up(const Candidate& candidate) {
  const std::lock_guard lock(mutex_);
  return given_up_.count({candidate.kernel, candidate.parameters}) != 0;
}

ConfigCache& Chooser::configs(const std::string& kernel_folder) {
  const std::lock_guard lock(mutex_);
  auto& cache = configs_[kernel_folder];
  if (!cache) cache = std::make_unique<ConfigCache>(info_, kernel_folder);
  return *cache;
}

}  // namespace clgemm
