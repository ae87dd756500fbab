// Combinations in which every value of every factor meets every value of every other factor, without the full
// product of all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace clgemm::test {

// `sizes`: how many values each factor has. Returns rows of one value a factor. Greedy: a row takes the first
// pair that is not covered yet and then, factor by factor, the value that covers the most of the others.
std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& sizes);

}  // namespace clgemm::test
