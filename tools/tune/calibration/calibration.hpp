// The measurements for the speed model: every config that may ever win on a kind of device, on random shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/device.hpp"
#include "choose/tuning.hpp"
#include "kernel/kernel_file.hpp"
#include "tune/calibration/samples.hpp"

namespace clgemm::tune {

// Returns the configs that the manifests of all kernels list and that this device allows, without SPLIT_K.
std::vector<Config> calibrated_configs(const Device& device, KernelLibrary& library);

// Returns the first shapes of this seed: `count` single GEMMs, with batches and large shapes between them.
// Their sides have every magnitude, and half of them are multiples of four. Any few of them include thin,
// flat, deep and small ones. Every third is followed by a batch of small matrices, and every eighth by a
// large shape, which has whole tiles every second time. On a GPU, operands are transposed at random, and
// every eighth shape is followed by one with few rows or columns and a large operand. A larger count gives
// the same first shapes.
std::vector<SampleShape> calibrated_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed);

// Returns true for a shape that is not a batch and has at least as many operations as those large ones.
bool is_large(const SampleShape& shape, DeviceKind kind);

// Returns the config for a shape: without split-K, and with the numbers of slices that occupy the device one,
// two, four and eight times. Returns nothing if the shape does not suit the kernel. A batch is not split.
std::vector<Config> with_slices(const Config& config, const SampleShape& shape, const Device& device,
                                KernelLibrary& library);

// How many times a config is timed on a shape. A CPU needs three times, because two in a row may be
// disturbed: on two shared Zen 4 cores, a config took 19 times its usual time twice. The clock of a GPU
// counts only its own work, so two are enough. `quick` is for runs with many other configs to compare with.
struct Turns {
  std::size_t enough;  // so many must agree
  std::size_t most;
};
Turns careful_turns(DeviceKind kind);
inline constexpr Turns quick_turns{2, 4};

// Returns true if a config was timed enough on a shape. Its shortest times must be within 3 %, or more than
// three times the best of all configs, or it has had all its runs.
bool is_settled(std::vector<double> seconds, double best, const Turns& turns);

}  // namespace clgemm::tune
