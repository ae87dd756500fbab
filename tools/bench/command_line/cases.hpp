// The device of a run, and its problems: sizes, suites and random shapes as one list.
#pragma once

#include <vector>

#include "base/device.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// Returns the first device of the options, or the default device. Throws Error(device_not_found).
cl::Device device_of(const BenchOptions& options);

// Returns all cases that these options name on this device, without duplicates. Throws UsageError.
std::vector<Case> cases_of(const BenchOptions& options, const Device& device);

}  // namespace clgemm::bench
