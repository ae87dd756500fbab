// Which configs may serve a problem on a device, the best first: rules, from what was measured.
#pragma once

#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"

namespace clgemm {

// The configs to try for a problem on a device, the best first; the last one runs anywhere.
std::vector<Candidate> candidates(const Problem& problem, const Device& device,
                                  Precision precision = Precision::fp32_equivalent);

// Whether what the kernel keeps in a CPU's cache leaves room there for what passes through: what was tuned on
// a larger one may fit the kernel's own limit, but not this. True for other kernels.
bool leaves_room(const Config& config, const Problem& problem, const Device& device);

}  // namespace clgemm
