// Finds out whether any two of many matrices, at any places, share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "call/problem.hpp"

namespace clgemm {

// One of many matrices that have the same number of lines and the same length of lines.
struct PlacedMatrix {
  const void* memory = nullptr;  // matrices in different memories share nothing
  std::int64_t first = 0;        // offset of its first element
  std::size_t ld = 0;
  std::size_t number = 0;  // its index among all matrices
};

// Returns the numbers of two matrices that share an element, the smaller number first; no value if no two do.
// If the matrices follow one another or are parts of one larger matrix, it takes at most a sort. If the lines
// of matrices with different leading dimensions alternate, it takes a step for each of these lines.
std::optional<std::pair<std::size_t, std::size_t>> overlapping_two(std::vector<PlacedMatrix> matrices,
                                                                   std::size_t lines, std::size_t length);

// Throws Error(invalid_argument) if two matrices C of a batch, each of these lines, share an element.
void check_c_apart(std::vector<PlacedMatrix> matrices, const Lines& lines);

}  // namespace clgemm
