// Which config is likely the fastest for a problem: what was tuned on this device, else on its family, else
// the rules' candidates, each by predicted time. No OpenCL.
#pragma once

#include <vector>

#include "choose/choice.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"

namespace clgemm {

struct Ranking {
  std::vector<Candidate> candidates;  // each config once, the best first; the last one runs anywhere
  std::vector<Rejected> rejected;     // what tuning data or the rules name and cannot be planned
};

Ranking rank_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                        std::size_t scratch_limit, Precision precision = Precision::fp32_equivalent);

}  // namespace clgemm
