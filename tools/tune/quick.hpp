// What clgemm-tune --quick takes from what others have measured: which configs are worth a measurement, on
// which shapes, and what a fit of few samples begins with.
#pragma once

#include <optional>
#include <vector>

#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "tune/fit.hpp"
#include "tune/samples.hpp"

namespace clgemm::tune {

// The rows of the nearest other device. If only this very device has rows, these; nullopt if none has any.
std::optional<SpeedTable> nearest_rows(const Tuning& tuning, const Device& device);

// What a fit begins with: these rows, brought to this device's size. Empty if they were measured on this very
// device: who measures it again wants to know what is so today.
Prior prior_of(const std::optional<SpeedTable>& table, const std::vector<Config>& configs,
               ConfigCache& cache);

// The fewest of these configs of which, by these rows, one is fast for every shape; for fp32 units alone,
// too. A kernel of which no config has a row is in it with six at most, from all of its list.
std::vector<Config> quick_configs(const std::vector<Config>& all, const std::optional<SpeedTable>& table,
                                  ConfigCache& cache, KernelLibrary& library);

inline constexpr std::size_t most_quick_shapes = 28;

// The first of the seed's shapes that take this device some milliseconds at most.
std::vector<SampleShape> quick_shapes(const std::optional<SpeedTable>& table,
                                      const std::vector<Config>& configs, ConfigCache& cache,
                                      KernelLibrary& library, std::uint64_t seed);

}  // namespace clgemm::tune
