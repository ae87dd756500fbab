// Combinations in which every value of every factor meets every value of every other factor, without the full
// product of all factors.
#pragma once

#include <cstddef>
#include <vector>

namespace clgemm::test {

// `sizes` has the number of values of each factor. Returns rows with one value for each factor. The algorithm
// is greedy: a row takes the first pair that is not covered yet. Then, factor by factor, it takes the value
// that covers the most other pairs.
std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& sizes);

}  // namespace clgemm::test
