// Derives for clgemm-tune --quick, from measurements of other devices, which configs are worth a measurement,
// on which shapes, and the start of a fit to few samples.
#pragma once

#include <optional>
#include <vector>

#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "tune/calibration/fit.hpp"
#include "tune/calibration/samples.hpp"

namespace clgemm::tune {

// Returns the rows of the nearest other device. If only this device has rows, returns those. Returns nullopt
// if no device has any.
std::optional<SpeedTable> nearest_rows(const Tuning& tuning, const Device& device);

// Returns the rows that a fit starts with, scaled to this device's size. They are empty if they were measured
// on this same device, because a repeated measurement should show its present state.
Prior prior_of(const std::optional<SpeedTable>& table, const std::vector<Config>& configs,
               ConfigCache& cache);

// Returns the fewest of these configs such that, by these rows, one of them is fast for every shape, also if
// only fp32 units are allowed. A kernel without rows has at most six configs in the result, from its whole
// list.
std::vector<Config> quick_configs(const std::vector<Config>& all, const std::optional<SpeedTable>& table,
                                  ConfigCache& cache, KernelLibrary& library);

inline constexpr std::size_t most_quick_shapes = 28;

// Returns the first of the seed's shapes that take this device at most some milliseconds.
std::vector<SampleShape> quick_shapes(const std::optional<SpeedTable>& table,
                                      const std::vector<Config>& configs, ConfigCache& cache,
                                      KernelLibrary& library, std::uint64_t seed);

}  // namespace clgemm::tune
