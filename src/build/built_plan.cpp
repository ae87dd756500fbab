#include "build/built_plan.hpp"

#include <future>
#include <utility>

namespace clgemm {

std::vector<std::shared_ptr<BuiltKernel>> BuiltPlan::programs() const {
  std::vector<std::shared_ptr<BuiltKernel>> result;
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) { result.push_back(stages[stage][role]); });
  return result;
}

BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose) {
  // No threads for what is built already.
  const bool is_first = !programs.has(plan.first().programs[ProgramRole::multiply]);
  const auto when = is_first ? std::launch::async : std::launch::deferred;
  std::vector<ByRole<std::future<std::shared_ptr<BuiltKernel>>>> tasks(plan.stages.size());
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) {
    const SharedConfig& config = plan.stages[stage].programs[role];
    const bool is_ours = stage == 0 && role == ProgramRole::multiply;  // this thread need not wait idly
    tasks[stage][role] = std::async(is_ours ? std::launch::deferred : when,
                                    [&programs, config, purpose] { return programs.get(config, purpose); });
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
