#include "tune/searching/search.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace clgemm::tune {
namespace {

// Gives the same order on every machine, unlike std::shuffle.
void shuffle(std::vector<Config>& configs, std::mt19937_64& random) {
  for (std::size_t i = configs.size(); i > 1; --i) std::swap(configs[i - 1], configs[random() % i]);
}

}  // namespace

std::size_t size_of(const std::vector<KernelSpace>& spaces) {
  std::size_t all = 0;
  for (const KernelSpace& space : spaces) all += space.configs.size();
  return all;
}

std::vector<Config> random_sample(const std::vector<KernelSpace>& spaces, std::size_t count,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Config>> left;
  for (const KernelSpace& space : spaces) {
    left.push_back(space.configs);
    shuffle(left.back(), random);
  }
  const std::size_t all = size_of(spaces);
  std::vector<Config> result;
  for (std::size_t turn = 0; result.size() < (count == 0 ? all : std::min(count, all)); ++turn) {
    std::vector<Config>& configs = left[turn % left.size()];
    if (configs.empty()) continue;
    result.push_back(std::move(configs.back()));
    configs.pop_back();
  }
  return result;
}

}  // namespace clgemm::tune
