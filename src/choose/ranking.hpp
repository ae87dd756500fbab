// Ranks the configs for a problem by their expected speed. Measurements of the same problem on this device
// come first, then all configs with rows in tuning data, by the seconds that the speed model predicts. No
// OpenCL.
#pragma once

#include <vector>

#include "choose/choice.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"

namespace clgemm {

struct Ranking {
  std::vector<Candidate> candidates;  // each config once, best first; the last one runs anywhere
  std::vector<Rejected> rejected;  // configs that tuning data of this device names but that cannot be planned
};

// Returns the rows to use. They are those of the nearest relative of which this library and device have any
// kernel.
SpeedTable usable_table(const Tuning& tuning, ConfigCache& configs);

// Returns whether a config that was measured on another device may serve this one. Its registers must hold
// the config, its cache must have room for it, and no part of a sub-group may be idle.
bool suits(const KernelConfig& kernel, const Device& device);

// Returns the plan of a config, with the number of slices along k that takes the least time by these rows.
// Its config has this number (SPLIT_K), unless it is one.
Plan plan_in_best_slices(const Problem& problem, const Config& config, const SpeedTable& table,
                         ConfigCache& configs, std::size_t scratch_limit);

Ranking rank_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                        std::size_t scratch_limit, Precision precision = Precision::fp32_equivalent);

}  // namespace clgemm
