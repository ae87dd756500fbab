#include "context/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "context/known_answer.hpp"

namespace clgemm {
namespace {

using Trust = DiskCache::Trust;

// The plan with operands that need no packing and k in one part, to tell the faults of the multiply kernels
// from those of their helpers.
BuiltPlan without_helpers(const BuiltPlan& built) {
  BuiltPlan result = built;
  for (Stage& stage : result.plan.stages) {
    for (const ProgramRoleFacts& facts : program_roles) {
      if (facts.can_be_left_out) stage.programs[facts.role] = nullptr;
    }
  }
  return result;
}

// What a program of a stage is tried on: a stage on planes on numbers that need all of them, and one behind
// another on what that one leaves.
std::vector<TestNumbers> numbers_for(const BuiltPlan& built, std::size_t stage) {
  using Large = TestNumbers::Large;
  using Beyond = TestNumbers::Beyond;
  const bool on_planes = built.plan.stages[stage].has(ProgramRole::pack_both);
  const Beyond behind_planes = on_planes ? Beyond::fp16_planes : Beyond::planes;
  const Beyond beyond = stage == 0 ? Beyond::nothing : behind_planes;
  if (!on_planes) return {{Large::neither, beyond}};
  return {{Large::neither, beyond}, {Large::a, beyond}, {Large::b, beyond}};
}

}  // namespace

bool is_trusted(const BuiltPlan& built) {
  bool trusted = true;
  for_each_program(built.plan, [&](std::size_t stage, ProgramRole role) {
    trusted = trusted && built.stages[stage][role]->trust == Trust::tested;
  });
  return trusted || environment("CLGEMM_SELF_TEST") == "0";  // asked last: calls come here every time
}

void Verifier::verify(const BuiltPlan& built) {
  if (is_trusted(built)) return;
  BuiltPlan tested = without_helpers(built);
  for_each_program(built.plan, [&](std::size_t stage, ProgramRole role) {
    tested.plan.stages[stage].programs[role] = built.plan.stages[stage].programs[role];
    verify_program(tested, stage, role);
  });
}

// Tests the one program of the plan that is not known to be right.
void Verifier::verify_program(const BuiltPlan& built, std::size_t stage, ProgramRole role) {
  const std::shared_ptr<BuiltKernel>& program = built.stages[stage][role];
  const KernelConfig& kernel = *built.plan.stages[stage].programs[role];
  const std::lock_guard lock(program->test_mutex);
  if (program->trust == Trust::untested) {
    const bool passed = at_boundary([&] {
      const auto all = numbers_for(built, stage);
      return std::all_of(all.begin(), all.end(), [&](TestNumbers numbers) {
        return gives_known_answer(built, numbers, context_, device_);
      });
    });
    program->trust = passed ? Trust::tested : Trust::quarantined;
    program->is_new = true;
    // Where one launch packs both operands there is no multiply without it, and a wrong result says only that
    // one of the programs is at fault: that is not kept for other processes, which may have another.
    if (passed || !built.plan.first().has(ProgramRole::pack_both)) programs_.keep(program);
  }
  if (program->trust == Trust::tested) return;
  throw Error(
      ErrorCode::self_test_failed,
      fmt::format(
          "the kernel '{}' with {} gave a wrong result in its self-test on '{}', driver {}, and is in "
          "quarantine",
          kernel.name, describe_values(kernel.values), info_.name, info_.driver_version));
}

}  // namespace clgemm
