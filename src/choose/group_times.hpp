// How long the work-groups of single multiplies take on a device on which they were measured: one part of the
// speed model.
#pragma once

#include <optional>

#include "base/device.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// Seconds of `groups` work-groups of the plan's first kernel, `depth` along k each: turns of as many as share
// a compute unit, and a last one, which may be emptier. Nothing for a device or a config that was not
// measured.
std::optional<double> turns_seconds(const Plan& plan, const Device& device, double groups, double depth);

}  // namespace clgemm
