#include "data/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace clgemm::bench {
namespace {

using Tile = std::pair<std::size_t, std::size_t>;

// How many of the checked indices lie in each tile of this size.
std::map<std::size_t, std::size_t> counts_by_tile(const std::vector<std::size_t>& indices, std::size_t tile) {
  std::map<std::size_t, std::size_t> result;
  for (const std::size_t index : indices) ++result[index / tile];
  return result;
}

// True where the last tile along a side is incomplete and `first` lies in it.
bool begins_in_incomplete_tile(std::size_t first, std::size_t extent, std::size_t tile) {
  return extent > tile && extent % tile != 0 && first >= extent / tile * tile;
}

// True where every tile that has a wrong element has nothing but wrong ones.
bool fills_whole_tiles(const std::map<Tile, std::size_t>& wrong_by_tile, const CheckedGrid& grid) {
  const auto rows = counts_by_tile(grid.rows, grid.tile_rows);
  const auto columns = counts_by_tile(grid.columns, grid.tile_columns);
  return std::all_of(wrong_by_tile.begin(), wrong_by_tile.end(), [&](const auto& entry) {
    return entry.second == rows.at(entry.first.first) * columns.at(entry.first.second);
  });
}

}  // namespace

std::string pattern_of(const std::vector<Element>& wrong, const CheckedGrid& grid) {
  std::set<std::size_t> rows;
  std::set<std::size_t> columns;
  std::map<Tile, std::size_t> by_tile;
  for (const Element& element : wrong) {
    rows.insert(element.row);
    columns.insert(element.column);
    ++by_tile[{element.row / grid.tile_rows, element.column / grid.tile_columns}];
  }
  const std::size_t checked = grid.rows.size() * grid.columns.size();
  if (wrong.size() == checked) return "every element";
  if (wrong.size() > checked / 100 * 99) return "nearly every element, as when k is walked wrongly";
  if (wrong.size() == 1) return "one element";
  if (begins_in_incomplete_tile(*rows.begin(), grid.m, grid.tile_rows)) {
    return fmt::format("an edge: the last, incomplete tile of rows, {} to {}",
                       grid.m / grid.tile_rows * grid.tile_rows, grid.m - 1);
  }
  if (begins_in_incomplete_tile(*columns.begin(), grid.n, grid.tile_columns)) {
    return fmt::format("an edge: the last, incomplete tile of columns, {} to {}",
                       grid.n / grid.tile_columns * grid.tile_columns, grid.n - 1);
  }
  if (rows.size() == 1) return fmt::format("one row, {}", *rows.begin());
  if (columns.size() == 1) return fmt::format("one column, {}", *columns.begin());
  if (by_tile.size() == 1) {
    return fmt::format("one tile of {} x {}, at row {}, column {}", grid.tile_rows, grid.tile_columns,
                       by_tile.begin()->first.first * grid.tile_rows,
                       by_tile.begin()->first.second * grid.tile_columns);
  }
  if (fills_whole_tiles(by_tile, grid)) {
    return fmt::format("whole tiles of {} x {}, {} of them", grid.tile_rows, grid.tile_columns,
                       by_tile.size());
  }
  if (wrong.size() == rows.size() * grid.columns.size())
    return fmt::format("whole rows, {} of them", rows.size());
  if (wrong.size() == columns.size() * grid.rows.size()) {
    return fmt::format("whole columns, {} of them", columns.size());
  }
  return "no pattern; if it changes from run to run, suspect a missing barrier";
}

}  // namespace clgemm::bench
