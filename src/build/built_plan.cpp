#include "build/built_plan.hpp"

#include <future>
#include <system_error>
#include <utility>

namespace clgemm {
namespace {

using Building = std::future<std::shared_ptr<BuiltKernel>>;

// Builds on a thread of its own. If no thread can be started, it builds at the first get().
template <class Build>
Building build_aside(const Build& build) {
  try {
    return std::async(std::launch::async, build);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, build);
  }
}

}  // namespace

BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose) {
  // Programs that are built already need no threads.
  const bool is_first = !programs.has(plan.first().programs[ProgramRole::gemm]);
  std::vector<ByRole<Building>> tasks(plan.stages.size());
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    const SharedConfig& config = plan.stages[stage].programs[role];
    const bool is_ours = stage == 0 && role == ProgramRole::gemm;  // built by this thread
    const auto get = [&programs, config, purpose] { return programs.get(config, purpose); };
    tasks[stage][role] = is_first && !is_ours ? build_aside(get) : std::async(std::launch::deferred, get);
  });
  BuiltPlan result;
  result.stages.resize(plan.stages.size());
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    result.stages[stage][role] = tasks[stage][role].get();
  });
  result.plan = std::move(plan);
  return result;
}

}  // namespace clgemm
