// Which config is likely the fastest for a problem: what was measured of this very problem on this device,
// then all that tuning data has rows for, by the seconds that the speed model gives. No OpenCL.
#pragma once

#include <vector>

#include "choose/choice.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

struct Ranking {
  std::vector<Candidate> candidates;  // each config once, the best first; the last one runs anywhere
  std::vector<Rejected> rejected;     // what tuning data of this device names and cannot be planned
};

// The rows to go by: of the nearest relative of which this library and device have any kernel at all.
SpeedTable usable_table(const Tuning& tuning, ConfigCache& configs);

// Whether a config that was measured on another device may serve this one: its registers hold it, its cache
// has room for it, and no part of a sub-group is idle.
bool suits(const KernelConfig& kernel, const Device& device);

// The plan of a config, in as many parts of k as take the least time by these rows. Its config has their
// number (SPLIT_K), unless it is one.
Plan plan_in_best_parts(const Problem& problem, const Config& config, const SpeedTable& table,
                        ConfigCache& configs, std::size_t scratch_limit);

Ranking rank_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                        std::size_t scratch_limit, Precision precision = Precision::fp32_equivalent);

}  // namespace clgemm
