#include "pairwise.hpp"

#include <optional>
#include <set>
#include <tuple>

namespace clgemm::test {
namespace {

// Two factors, first < second, and a value of each.
using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
using PartialRow = std::vector<std::optional<std::size_t>>;

Pair pair_of(std::size_t factor, std::size_t value, std::size_t other, std::size_t other_value) {
  return factor < other ? Pair{factor, other, value, other_value} : Pair{other, factor, other_value, value};
}

std::set<Pair> all_pairs(const std::vector<std::size_t>& sizes) {
  std::set<Pair> result;
  for (std::size_t first = 0; first < sizes.size(); ++first) {
    for (std::size_t second = first + 1; second < sizes.size(); ++second) {
      for (std::size_t i = 0; i < sizes[first]; ++i) {
        for (std::size_t j = 0; j < sizes[second]; ++j) result.emplace(first, second, i, j);
      }
    }
  }
  return result;
}

std::size_t newly_covered(const PartialRow& row, std::size_t factor, std::size_t value,
                          const std::set<Pair>& missing) {
  std::size_t result = 0;
  for (std::size_t other = 0; other < row.size(); ++other) {
    if (other != factor && row[other]) result += missing.count(pair_of(factor, value, other, *row[other]));
  }
  return result;
}

std::size_t best_value(const PartialRow& row, std::size_t factor, std::size_t size, std::size_t start,
                       const std::set<Pair>& missing) {
  std::size_t best = start % size;  // not always the first of several equal ones
  for (std::size_t value = 0; value < size; ++value) {
    if (newly_covered(row, factor, value, missing) > newly_covered(row, factor, best, missing)) best = value;
  }
  return best;
}

}  // namespace

std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<std::size_t>> result;
  for (std::set<Pair> missing = all_pairs(sizes); !missing.empty();) {
    const auto [first, second, first_value, second_value] = *missing.begin();
    PartialRow row(sizes.size());
    row[first] = first_value;
    row[second] = second_value;
    for (std::size_t factor = 0; factor < sizes.size(); ++factor) {
      if (!row[factor]) row[factor] = best_value(row, factor, sizes[factor], result.size(), missing);
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = i + 1; j < row.size(); ++j) missing.erase(pair_of(i, *row[i], j, *row[j]));
    }
    result.emplace_back();
    for (const auto& value : row) result.back().push_back(*value);
  }
  return result;
}

}  // namespace clgemm::test
