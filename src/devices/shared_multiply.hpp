// One multiply of host matrices on several devices.
//
// Each group of equal devices has a band of C, as wide as the speed model says. In a band the devices take
// pieces as they get free, first their own and then those of the slowest. What a device that fails has not
// done, the others do at the end.
#pragma once

#include <string>
#include <vector>

#include "call/host_batch.hpp"
#include "devices/members.hpp"

namespace clgemm {

// Returns when C is complete. Throws the first device's Error where none is left.
void share_multiply(DeviceSet::State& devices, const HostGemm& host, const Options& options);

// The same for a batch. If its GEMMs are too small to be shared, the fastest device computes all of them.
// Otherwise they are shared one after another.
void share_batch(DeviceSet::State& devices, const HostBatch& batch, const Options& options);

// Describes in words how a call would be shared.
std::string explain_shared(DeviceSet::State& devices, const Problem& problem, const Options& options);

// `size` in ranges as long as `seconds`, which each would take for all of it, want them; but for the last,
// multiples of `multiple`. Those that would be too short are empty.
std::vector<Range> shares_of(std::size_t size, std::size_t multiple, const std::vector<double>& seconds);

}  // namespace clgemm
