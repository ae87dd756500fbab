// A plan with its programs, built.
#pragma once

#include <memory>
#include <vector>

#include "build/program_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

struct BuiltPlan {
  Plan plan;
  std::vector<ByRole<std::shared_ptr<BuiltKernel>>> stages;  // null where the plan has no such program
};

// Builds the programs side by side, where the implementation lets them.
BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose);

}  // namespace clgemm
