#include "measuring/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace clgemm::bench {
namespace {

using Tile = std::pair<std::size_t, std::size_t>;

// Counts the checked indices in each tile of this size.
std::map<std::size_t, std::size_t> counts_by_tile(const std::vector<std::size_t>& indices, std::size_t tile) {
  std::map<std::size_t, std::size_t> result;
  for (const std::size_t index : indices) ++result[index / tile];
  return result;
}

// Returns true if the last tile along a side is incomplete and contains `first`.
bool begins_in_incomplete_tile(std::size_t first, std::size_t extent, std::size_t tile) {
  return extent > tile && extent % tile != 0 && first >= extent / tile * tile;
}

// Returns true if each tile with a wrong element has only wrong elements.
bool fills_whole_tiles(const std::map<Tile, std::size_t>& wrong_by_tile, const CheckedGrid& grid) {
  const auto rows = counts_by_tile(grid.rows, grid.tile.rows);
  const auto columns = counts_by_tile(grid.columns, grid.tile.columns);
  return std::all_of(wrong_by_tile.begin(), wrong_by_tile.end(), [&](const auto& entry) {
    return entry.second == rows.at(entry.first.first) * columns.at(entry.first.second);
  });
}

// Returns "those r with r mod 64 = 3, 5", if this separates wrong indices from right ones, or else how many
// they are.
std::string which_of(const std::set<std::size_t>& wrong, const std::vector<std::size_t>& all) {
  constexpr std::size_t largest_period = 256;
  constexpr std::size_t most_residues = 4;
  for (std::size_t period = 2; period <= largest_period && 2 * period <= all.back() + 1; ++period) {
    std::set<std::size_t> residues;
    for (const std::size_t index : wrong) residues.insert(index % period);
    if (residues.size() > std::min(most_residues, period / 2)) continue;
    const auto expected =
        std::count_if(all.begin(), all.end(), [&](std::size_t i) { return residues.count(i % period) != 0; });
    if (static_cast<std::size_t>(expected) == wrong.size())
      return fmt::format("those r with r mod {} = {}", period, fmt::join(residues, ", "));
  }
  return fmt::format("{} of them", wrong.size());
}

}  // namespace

std::string place_in(const Tiling& tiling, const Element& element) {
  std::string result =
      fmt::format("tile {} down and {} across", element.row / tiling.rows, element.column / tiling.columns);
  std::vector<std::size_t> group;
  std::vector<std::size_t> with_neighbours;  // the work-item if each computes neighbouring elements
  std::vector<std::size_t> with_gaps;        // the work-item if each computes every n-th element
  for (std::size_t i = 0; i < tiling.grid.size(); ++i) {
    const bool is_row = tiling.grid[i] == GridAxis::rows;
    const std::size_t extent = is_row ? tiling.rows : tiling.columns;
    const std::size_t index = is_row ? element.row : element.column;
    group.push_back(index / extent);
    if (extent % tiling.local[i] != 0) continue;
    with_neighbours.push_back(index % extent / (extent / tiling.local[i]));
    with_gaps.push_back(index % extent % tiling.local[i]);
  }
  if (group.empty()) return result;
  result += fmt::format(", work-group ({})", fmt::join(group, ", "));
  if (with_gaps.size() < group.size()) return result;
  result += fmt::format(", work-item ({})", fmt::join(with_neighbours, ", "));
  if (with_gaps != with_neighbours)
    result += fmt::format(" if it computes neighbours, ({}) if not", fmt::join(with_gaps, ", "));
  return result;
}

std::string pattern_of(const std::vector<Element>& wrong, const CheckedGrid& grid) {
  std::set<std::size_t> rows;
  std::set<std::size_t> columns;
  std::map<Tile, std::size_t> by_tile;
  for (const Element& element : wrong) {
    rows.insert(element.row);
    columns.insert(element.column);
    ++by_tile[{element.row / grid.tile.rows, element.column / grid.tile.columns}];
  }
  const std::size_t checked = grid.rows.size() * grid.columns.size();
  if (wrong.size() == checked) return "every element";
  if (wrong.size() > checked / 100 * 99)
    return "nearly every element, perhaps because the loop over k is wrong";
  if (wrong.size() == 1) return "one element";
  if (begins_in_incomplete_tile(*rows.begin(), grid.m, grid.tile.rows)) {
    return fmt::format("an edge: the last, incomplete tile of rows, {} to {}",
                       grid.m / grid.tile.rows * grid.tile.rows, grid.m - 1);
  }
  if (begins_in_incomplete_tile(*columns.begin(), grid.n, grid.tile.columns)) {
    return fmt::format("an edge: the last, incomplete tile of columns, {} to {}",
                       grid.n / grid.tile.columns * grid.tile.columns, grid.n - 1);
  }
  if (rows.size() == 1) return fmt::format("one row, {}", *rows.begin());
  if (columns.size() == 1) return fmt::format("one column, {}", *columns.begin());
  if (by_tile.size() == 1) {
    return fmt::format("one tile of {} x {}, at row {}, column {}", grid.tile.rows, grid.tile.columns,
                       by_tile.begin()->first.first * grid.tile.rows,
                       by_tile.begin()->first.second * grid.tile.columns);
  }
  if (fills_whole_tiles(by_tile, grid)) {
    return fmt::format("whole tiles of {} x {}, {} of them", grid.tile.rows, grid.tile.columns,
                       by_tile.size());
  }
  if (wrong.size() == rows.size() * grid.columns.size())
    return fmt::format("whole rows, {}", which_of(rows, grid.rows));
  if (wrong.size() == columns.size() * grid.rows.size())
    return fmt::format("whole columns, {}", which_of(columns, grid.columns));
  return "none";
}

}  // namespace clgemm::bench
