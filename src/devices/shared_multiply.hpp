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

// The same for a batch: on the fastest device alone if a multiply is too small to be shared, else one after
// the other.
void share_batch(DeviceSet::State& devices, const HostBatch& batch, const Options& options);

// How one would be shared, in words.
std::string explain_shared(DeviceSet::State& devices, const Problem& problem, const Options& options);

// `size` in ranges as long as `seconds`, which each would take for all of it, want them; but for the last,
// multiples of `multiple`. Those that would be too short are empty.
std::vector<Range> shares_of(std::size_t size, std::size_t multiple, const std::vector<double>& seconds);

}  // namespace clgemm
