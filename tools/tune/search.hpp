// How a search is asked for, and the sample it begins with. Whatever is random comes from the seed alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tune/space.hpp"

namespace clgemm::tune {

// random: a sample of the space. exhaustive: all of it. climb: a sample, of which ever fewer are measured
// ever more carefully (successive halving), then uphill from the best two, one parameter by one step at a
// time. Speed is mostly smooth in each parameter, so that climbing finds in tens of measurements what a
// random sample finds in hundreds; the sample keeps it from ending on the hill where it happened to start.
enum class SearchKind { random, exhaustive, climb };
extern const std::map<std::string, SearchKind> search_kinds;

struct SearchSettings {
  SearchKind kind = SearchKind::climb;
  std::uint64_t seed = 1;
  std::size_t samples = 60;  // that a search begins with, for each size
  double budget_s = 0.0;     // of measuring, for each size; 0: as long as it takes
};

// `count` different configs: kernels in turn, so that one with few parameters is seen as well as one with
// many.
std::vector<Config> random_sample(const std::vector<KernelSpace>& spaces, std::size_t count,
                                  std::uint64_t seed);

}  // namespace clgemm::tune
