// A plan with its built programs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "build/program_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

struct BuiltPlan {
  Plan plan;
  std::vector<ByRole<std::shared_ptr<BuiltKernel>>> stages;  // null if the plan has no such program
};

struct PlacedProgram {
  std::size_t stage;
  ProgramRole role;
};

// Returns the programs of a plan in the order in which build() compiles them on NVIDIA's devices.
std::vector<PlacedProgram> build_order(const Plan& plan);

// Builds the programs in parallel, if the implementation allows it. NVIDIA's driver compiles one source at a
// time, but assembles the PTX of a program while it compiles the next one. So the programs that need both are
// compiled first.
BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose);

}  // namespace clgemm
