// Computes one GEMM on host matrices with several devices.
//
// Each group of equal devices has a band of C. The speed model decides its width. Within a band, free devices
// take pieces: first their own, then those of the slowest device. If a device fails, the other devices
// compute the rest at the end.
#pragma once

#include <string>
#include <vector>

#include "call/host_batch.hpp"
#include "devices/members.hpp"

namespace clgemm {

// Returns when C is complete. If no device is left, it throws the first device's Error.
void share_gemm(DeviceSet::State& devices, const HostGemm& host, const Options& options);

// The same for a batch. If its GEMMs are too small to be shared, the fastest device computes all of them.
// Otherwise they are shared one after another.
void share_batch(DeviceSet::State& devices, const HostBatch& batch, const Options& options);

// Describes in words how a call would be shared.
std::string explain_shared(DeviceSet::State& devices, const Problem& problem, const Options& options);

// Divides `size` into ranges. Each member of `seconds` is the time that one of them would take for all of
// `size`; a shorter time gives a longer range. All but the last are multiples of `multiple`. Ranges that
// would be too short are empty.
std::vector<Range> shares_of(std::size_t size, std::size_t multiple, const std::vector<double>& seconds);

}  // namespace clgemm
