// fp32 on tensor cores: the kernels of the form `bf16_planes`, and for which problems they are worth their
// splitting.
#pragma once

#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"

namespace clgemm {

// The candidates for a problem, the best first; none where the device has no such cores, or the problem is
// too thin or too shallow for them. Whether they are faster than plain fp32 is for their estimated time to
// say.
std::vector<Candidate> tensor_core_candidates(const Problem& problem, const Device& device);

}  // namespace clgemm
