// Whether matrices that lie at any places share memory, all of them against all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace clgemm {

// One of many matrices that have as many lines, of one length.
struct PlacedMatrix {
  const void* memory = nullptr;  // matrices in different memories share nothing
  std::int64_t first = 0;        // its first element there
  std::size_t ld = 0;
  std::size_t number = 0;  // among all of them
};

// Two that share an element, by their numbers, the smaller one first; no value where no two do. A sort at
// most where the matrices lie one behind the other or all in one larger matrix; a step for each of their
// lines where matrices of different leading dimensions lie among each other's lines.
std::optional<std::pair<std::size_t, std::size_t>> overlapping_two(std::vector<PlacedMatrix> matrices,
                                                                   std::size_t lines, std::size_t length);

}  // namespace clgemm
