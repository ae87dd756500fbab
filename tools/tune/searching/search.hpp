// The kinds of search, and the sample that a search begins with. All randomness comes from the seed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tune/space.hpp"

namespace clgemm::tune {

// random: a sample of the space. exhaustive: the whole space. climb: begins with a sample, and measures ever
// fewer of its configs ever more carefully (successive halving). Then it climbs from the best two, one step
// of one parameter at a time. Speed is mostly smooth in each parameter, so climbing finds in tens of
// measurements what a random sample finds in hundreds. Because of the sample, it does not end on the
// first hill that it happened to climb.
enum class SearchKind { random, exhaustive, climb };
extern const std::map<std::string, SearchKind> search_kinds;

struct SearchSettings {
  SearchKind kind = SearchKind::climb;
  std::uint64_t seed = 1;
  std::size_t samples = 60;  // the sample that a search begins with, for each size
  double budget_s = 0.0;     // of measuring, for each size; 0 means no limit
};

// Returns `count` different configs. The kernels take turns, so that a kernel with few parameters is sampled
// as often as one with many.
std::vector<Config> random_sample(const std::vector<KernelSpace>& spaces, std::size_t count,
                                  std::uint64_t seed);

}  // namespace clgemm::tune
