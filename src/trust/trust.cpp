#include "trust/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "trust/known_answer.hpp"

namespace clgemm {
namespace {

using Trust = DiskCache::Trust;

// The number of tests after a failed one. A bit that flipped in memory or on the way is not the kernel's
// fault, and does not flip again. If a kernel is wrong only sometimes, one of these tests finds it.
constexpr int tests_after_failure = 3;

// Returns the plan with operands that need no packing and without split-K. It separates the faults of the
// GEMM kernels from those of their helpers.
BuiltPlan without_helpers(const BuiltPlan& built) {
  BuiltPlan result = built;
  for (Stage& stage : result.plan.stages) {
    for (const ProgramRoleFacts& facts : program_roles) {
      if (facts.can_be_left_out) stage.programs[facts.role] = nullptr;
    }
  }
  return result;
}

// Returns the values with which the programs of a stage are tested. A stage on planes gets values that need
// all planes, and the first stage also some that become denormal there. A later stage gets values that the
// stage before leaves to it.
std::vector<TestNumbers> numbers_for(const BuiltPlan& built, std::size_t stage) {
  using Large = TestNumbers::Large;
  using Beyond = TestNumbers::Beyond;
  const bool on_planes = built.plan.stages[stage].has(ProgramRole::pack_both);
  const Beyond behind_planes = on_planes ? Beyond::fp16_planes : Beyond::planes;
  const Beyond beyond = stage == 0 ? Beyond::nothing : behind_planes;
  if (!on_planes) return {{Large::neither, beyond}};
  std::vector<TestNumbers> result = {{Large::neither, beyond}, {Large::a, beyond}, {Large::b, beyond}};
  if (stage == 0) result.push_back({Large::neither, beyond, true});
  return result;
}

// Returns true if no other GEMM kernel was wrong with this helper.
bool is_first_to_fail_with(const BuiltPlan& built, std::size_t stage, ProgramRole role) {
  if (role == ProgramRole::gemm) return false;
  const std::string& kernel = built.plan.stages[stage].gemm().name;
  BuiltKernel::Suspicion& suspicion = built.stages[stage][role]->suspicion;
  if (!suspicion.programs.empty() && suspicion.kernel != kernel) return false;
  suspicion.kernel = kernel;
  suspicion.programs.push_back(built.stages[stage][ProgramRole::gemm]);
  return true;
}

}  // namespace

bool is_trusted(const BuiltPlan& built) {
  bool trusted = true;
  for_each_program(built.plan, [&](std::size_t stage, ProgramRole role) {
    trusted = trusted && built.stages[stage][role]->trust == Trust::tested;
  });
  return trusted || environment("CLGEMM_SELF_TEST") == "0";  // asked last, because every call comes here
}

void Verifier::verify(const BuiltPlan& built) {
  if (is_trusted(built)) return;
  BuiltPlan tested = without_helpers(built);
  for_each_program(built.plan, [&](std::size_t stage, ProgramRole role) {
    tested.plan.stages[stage].programs[role] = built.plan.stages[stage].programs[role];
    verify_program(tested, stage, role);
  });
}

bool Verifier::passes(const BuiltPlan& built, std::size_t stage) {
  const auto all = numbers_for(built, stage);
  return at_boundary([&] {
    return std::all_of(all.begin(), all.end(), [&](TestNumbers numbers) {
      return gives_known_answer(built, numbers, context_, device_);
    });
  });
}

Verifier::Result Verifier::test(const BuiltPlan& built, std::size_t stage) {
  if (passes(built, stage)) return Result::right;
  for (int again = 0; again < tests_after_failure; ++again) {
    if (!passes(built, stage)) return Result::wrong;
  }
  return Result::right_at_last;
}

// Tests the only program of the plan that is not yet known to be right.
void Verifier::verify_program(const BuiltPlan& built, std::size_t stage, ProgramRole role) {
  const std::shared_ptr<BuiltKernel>& program = built.stages[stage][role];
  const KernelConfig& kernel = *built.plan.stages[stage].programs[role];
  const std::lock_guard lock(program->test_mutex);
  if (program->trust == Trust::untested) {
    const Result result = test(built, stage);
    if (result == Result::wrong && is_first_to_fail_with(built, stage, role)) {
      throw Error(ErrorCode::self_test_failed,
                  fmt::format("the kernel '{}' gave a wrong result in its self-test on '{}' together with "
                              "'{}', but the right result without it",
                              built.plan.stages[stage].gemm().name, info_.name, kernel.name));
    }
    conclude(built, stage, role, result);
  }
  if (program->trust == Trust::tested) return;
  throw Error(
      ErrorCode::self_test_failed,
      fmt::format(
          "the kernel '{}' with {} gave a wrong result in its self-test on '{}', driver {}, and is in "
          "quarantine",
          kernel.name, describe_values(kernel.values), info_.name, info_.driver_version));
}

void Verifier::conclude(const BuiltPlan& built, std::size_t stage, ProgramRole role, Result result) {
  const std::shared_ptr<BuiltKernel>& program = built.stages[stage][role];
  const auto decide = [](BuiltKernel& about, Trust trust) {
    about.trust = trust;
    about.is_new = true;
  };
  decide(*program, result == Result::wrong ? Trust::quarantined : Trust::tested);
  // If one launch packs both operands, the GEMM kernel cannot be tested without it, and a wrong result only
  // shows that one of the programs is at fault. This is not kept for other processes, which may use another
  // program.
  const bool is_sure =
      result == Result::right || (result == Result::wrong && !built.plan.first().has(ProgramRole::pack_both));
  if (is_sure) {
    programs_.keep(program);
  } else {
    program->is_new = false;
  }
  const auto suspicion = std::exchange(program->suspicion, {});
  if (result == Result::wrong) return;
  // A helper that is right with one GEMM kernel was not at fault with another.
  for (const auto& culprit : suspicion.programs) {
    decide(*culprit, Trust::quarantined);
    programs_.keep(culprit);
  }
}

}  // namespace clgemm
