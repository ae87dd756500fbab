#include "build/built_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <future>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "build/compile.hpp"
#include "build/turn.hpp"

namespace clgemm {
namespace {

using Building = std::future<std::shared_ptr<BuiltKernel>>;

// Starts to build on a thread, behind the turn `last`, and takes its place. If no thread can be started, it
// builds at the first get().
template <class Build>
Building build_aside(const Build& build, std::shared_ptr<Turn>& last) {
  try {
    const auto turn = std::make_shared<Turn>(last);
    Building result = std::async(std::launch::async, build, turn);
    last = turn;
    return result;
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, build, nullptr);
  }
}

}  // namespace

std::vector<PlacedProgram> build_order(const Plan& plan) {
  std::vector<PlacedProgram> order;
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) { order.push_back({stage, role}); });
  std::stable_partition(order.begin(), order.end(), [&](const PlacedProgram& program) {
    return changes_ptx(*plan.stages[program.stage].programs[program.role]);
  });
  return order;
}

BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose) {
  const std::vector<PlacedProgram> order = build_order(plan);
  std::vector<Building> building;
  std::shared_ptr<Turn> last;
  for (const PlacedProgram& program : order) {
    const SharedConfig& config = plan.stages[program.stage].programs[program.role];
    const auto get = [&programs, config, purpose](const std::shared_ptr<Turn>& turn) {
      return programs.get(config, purpose, turn.get());
    };
    const bool is_ours = &program == &order.back();  // built by this thread
    const bool needs_thread = !is_ours && !programs.has(config);
    building.push_back(
        needs_thread ? build_aside(get, last)
                     : std::async(std::launch::deferred, get, last ? std::make_shared<Turn>(last) : nullptr));
  }
  building.back().wait();  // builds it
  BuiltPlan result;
  result.stages.resize(plan.stages.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    result.stages[order[i].stage][order[i].role] = building[i].get();
  result.plan = std::move(plan);
  return result;
}

}  // namespace clgemm
