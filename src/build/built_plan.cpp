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

struct Part {
  std::size_t stage;
  ProgramRole role;
  Building building;
};

// Returns the programs of a plan, those first whose PTX will be assembled again.
std::vector<Part> parts_in_order(const Plan& plan) {
  std::vector<Part> parts;
  for_each_program(plan, [&](std::size_t stage, ProgramRole role) { parts.push_back({stage, role, {}}); });
  std::stable_partition(parts.begin(), parts.end(), [&](const Part& part) {
    return changes_ptx(*plan.stages[part.stage].programs[part.role]);
  });
  return parts;
}

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

BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose) {
  // Programs that are built already need no threads.
  const bool is_first = !programs.has(plan.first().programs[ProgramRole::gemm]);
  std::vector<Part> parts = parts_in_order(plan);
  std::shared_ptr<Turn> last;
  for (Part& part : parts) {
    const SharedConfig& config = plan.stages[part.stage].programs[part.role];
    const auto get = [&programs, config, purpose](const std::shared_ptr<Turn>& turn) {
      return programs.get(config, purpose, turn.get());
    };
    const bool is_ours = &part == &parts.back();  // built by this thread
    part.building = is_first && !is_ours
                        ? build_aside(get, last)
                        : std::async(std::launch::deferred, get, std::make_shared<Turn>(last));
  }
  parts.back().building.wait();  // builds it
  BuiltPlan result;
  result.stages.resize(plan.stages.size());
  for (Part& part : parts) result.stages[part.stage][part.role] = part.building.get();
  result.plan = std::move(plan);
  return result;
}

}  // namespace clgemm
