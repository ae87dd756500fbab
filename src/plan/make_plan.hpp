// From a problem and a kernel to a plan: which form of the operands, which helpers, which kernels behind it.
#pragma once

#include "call/problem.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// The plan for a config with at most `scratch_limit` bytes of scratch; `problem` is as the caller states it.
// Throws what ConfigCache::get() and fit_blocks() throw.
Plan make_plan(const Problem& problem, const Config& config, ConfigCache& configs, std::size_t scratch_limit);

// What packs both operands of a kernel on planes. Throws Error: invalid_kernel_file where that is another
// kernel's work.
SharedConfig pack_both_config(const KernelConfig& kernel, ConfigCache& configs);

}  // namespace clgemm
