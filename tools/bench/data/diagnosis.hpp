// Where a wrong result is wrong, in words: what a person who writes a kernel wants to know first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::bench {

struct Element {
  std::size_t row = 0;
  std::size_t column = 0;
};

// The grid of elements of C that were compared, and the tile that one work-group of the kernel computes.
struct CheckedGrid {
  std::vector<std::size_t> rows;     // sorted
  std::vector<std::size_t> columns;  // sorted
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
};

// What the wrong elements have in common: "every element", "the last, incomplete tile of rows", "one row",
// "whole tiles", "no pattern, as of a race", ... `wrong` is not empty and lies on the grid.
std::string pattern_of(const std::vector<Element>& wrong, const CheckedGrid& grid);

}  // namespace clgemm::bench
