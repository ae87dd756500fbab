// Batches on GPUs: the configs that serve them, and how long a work-group of each takes. Measured, as many
// small matrices do not run like parts of a large one.
#pragma once

#include <optional>
#include <vector>

#include "base/device.hpp"
#include "choose/choice.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// For a batch of several matrices; the speed model says which of them is the fastest.
std::vector<Candidate> batch_candidates(const Problem& problem, const Device& device);

// Seconds of multiplying the plan's batch. Nothing for configs that were not measured on batches.
std::optional<double> batch_seconds(const Plan& plan, const Device& device);

}  // namespace clgemm
