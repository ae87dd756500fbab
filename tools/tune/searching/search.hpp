// The settings of a search, and the sample that it begins with. All randomness comes from the seed.
#pragma once

#include <cstdint>
#include <vector>

#include "tune/searching/space.hpp"

namespace clgemm::tune {

// A search begins with a sample, and measures ever fewer of its configs ever more carefully (successive
// halving). Then it climbs from the best two, one step of one parameter at a time. Speed is mostly smooth in
// each parameter, so climbing finds in tens of measurements what a random sample finds in hundreds. Because
// of the sample, it does not end on the first hill that it happened to climb.
struct SearchSettings {
  std::uint64_t seed = 1;
  std::size_t samples = 60;  // the sample that a search begins with, for each size; 0 means all configs
  double budget_s = 0.0;     // of measuring, for each size; 0 means no limit
};

// Returns the number of configs of all kernels.
std::size_t size_of(const std::vector<KernelSpace>& spaces);

// Returns `count` different configs, or all if `count` is 0. The kernels take turns, so that a kernel with
// few parameters is sampled as often as one with many.
std::vector<Config> random_sample(const std::vector<KernelSpace>& spaces, std::size_t count,
                                  std::uint64_t seed);

}  // namespace clgemm::tune
