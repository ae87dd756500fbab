// Makes a plan from a problem and a kernel: the form of the operands, the helper programs and the fallbacks.
#pragma once

#include "call/problem.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// Returns the plan for a config with at most `scratch_limit` bytes of scratch. `problem` is in the caller's
// form. Throws the errors of ConfigCache::get() and fit_blocks().
Plan make_plan(const Problem& problem, const Config& config, ConfigCache& configs, std::size_t scratch_limit);

// Returns the plan without the macros that its kernels are compiled with in addition to their parameters.
// Callers that only want to know how long the plan takes use it. Throws the errors of make_plan().
Plan outline_plan(const Problem& problem, const Config& config, ConfigCache& configs,
                  std::size_t scratch_limit);

// Changes the plan so that it splits k into at most `parts` slices, if its kernels can do so and the device
// can add up the slices.
void split_k(Plan& plan, std::size_t slices, ConfigCache& configs, std::size_t scratch_limit);

}  // namespace clgemm
