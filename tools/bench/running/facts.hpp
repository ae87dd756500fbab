// The facts of a run that begins now.
#pragma once

#include "base/device.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

Facts facts_now(const cl::Device& device);

}  // namespace clgemm::bench
