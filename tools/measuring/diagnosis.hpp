// Describes the location of wrong elements, which authors of kernels want to know first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/manifest.hpp"

namespace clgemm::bench {

struct Element {
  std::size_t row = 0;
  std::size_t column = 0;
};

// How the work-groups of a kernel divide C.
struct Tiling {
  std::size_t rows = 1;  // the part of C that one work-group computes
  std::size_t columns = 1;

  // The axes of C for the dimensions of the launch, and the work-group size along each. Both are empty if the
  // tile does not follow from the number of the work-group.
  std::vector<GridAxis> grid = {};
  std::vector<std::size_t> local = {};
};

// Describes the tile, the work-group and the work-item of an element: "tile 1 down and 0 across, work-group
// (0, 1), work-item (3, 5)". A work-item that computes several elements is named for both usual ways to
// divide a tile. It is left out if the manifest does not tell.
std::string place_in(const Tiling& tiling, const Element& element);

// The elements of C that were compared.
struct CheckedGrid {
  std::vector<std::size_t> rows;     // sorted
  std::vector<std::size_t> columns;  // sorted
  std::size_t m = 0;
  std::size_t n = 0;
  Tiling tile;
};

// Says what the wrong elements have in common: "every element", "the last, incomplete tile of rows", "one
// row", "whole tiles", "none", ... `wrong` is not empty and consists of elements of the grid.
std::string pattern_of(const std::vector<Element>& wrong, const CheckedGrid& grid);

}  // namespace clgemm::bench
