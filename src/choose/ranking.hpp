// Which kernel is likely the fastest for a problem: what was tuned on this device, else on its family, else
// the rules' candidates, each by estimated time. No OpenCL. Layer 5.
#pragma once

#include <vector>

#include "choose/candidates.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"

namespace clgemm {

// The kernels to try, each config once, the best first; the last one runs anywhere. A tuned config that this
// library or device does not have is logged and left out.
std::vector<Candidate> ranked_candidates(const Problem& problem, ConfigCache& configs, const Tuning& tuning,
                                         std::size_t scratch_limit,
                                         Precision precision = Precision::fp32_equivalent);

}  // namespace clgemm
