// What is measured for the speed model: every config that may ever win on a kind of device, on random shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/device.hpp"
#include "choose/tuning.hpp"
#include "kernel/kernel_file.hpp"
#include "tune/samples.hpp"

namespace clgemm::tune {

// Those that the manifests of all kernels list and that this device allows; without SPLIT_K.
std::vector<Config> calibrated_configs(const Device& device, KernelLibrary& library);

// As many shapes as wanted, the seed's: sides of every magnitude, half of them in whole fours; thin, flat,
// deep and small ones among any few of them; behind every third a batch, whose matrices are small, and behind
// every eighth a large one, by turns of whole tiles. The first ones are the same however many are wanted.
std::vector<SampleShape> calibrated_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed);

// No batch, and as many operations as those large ones have at least.
bool is_large(const SampleShape& shape, DeviceKind kind);

// The config on a shape: in one part of k, and in those that make one, two and four turns of the device.
// Nothing where the shape is not for its kernel. A batch is not split.
std::vector<Config> with_parts(const Config& config, const SampleShape& shape, const Device& device,
                               KernelLibrary& library);

// How many times a config is timed on a shape. On a CPU that takes three times, for two in a row may be
// disturbed: on two shared Zen 4 cores a config had 19 times its time so. The clock of a GPU counts its own
// work alone, and two are enough. `quick` ones are for who has many others to compare with.
struct Turns {
  std::size_t enough;  // so many must agree
  std::size_t most;
};
Turns careful_turns(DeviceKind kind);
inline constexpr Turns quick_turns{2, 4};

// Whether a config on a shape has been timed enough: its shortest times are within 3 %, or more than three
// times the best of all configs, or it has had its turns.
bool is_settled(std::vector<double> seconds, double best, const Turns& turns);

}  // namespace clgemm::tune
