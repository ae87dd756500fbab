// From a problem and a kernel to a plan: which form of the operands, which helpers, which kernels behind it.
#pragma once

#include "call/problem.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// The plan for a config with at most `scratch_limit` bytes of scratch; `problem` is as the caller states it.
// Throws what ConfigCache::get() and fit_blocks() throw.
Plan make_plan(const Problem& problem, const Config& config, ConfigCache& configs, std::size_t scratch_limit);

// The plan without what its kernels are compiled with beside their parameters: for who asks only how long it
// takes. Throws what make_plan() throws.
Plan outline_plan(const Problem& problem, const Config& config, ConfigCache& configs,
                  std::size_t scratch_limit);

// Changes the plan to one that does k in at most so many parts, where its kernels can and the device can add
// them up.
void split_k(Plan& plan, std::size_t parts, ConfigCache& configs, std::size_t scratch_limit);

}  // namespace clgemm
