#include "devices/coverage.hpp"

#include <algorithm>

#include "base/sizes.hpp"

namespace clgemm {

Coverage::Coverage(std::size_t rows, std::size_t columns, std::size_t tile_columns)
    : columns_(columns),
      tile_columns_(tile_columns),
      done_(ceil_div(columns, tile_columns), Done(rows, false)) {}

void Coverage::add(const Range& rows, const Range& columns) {
  const std::lock_guard lock(mutex_);
  const std::size_t end = ceil_div(columns.first + columns.count, tile_columns_);
  for (std::size_t tile = columns.first / tile_columns_; tile < end; ++tile) {
    const auto first = done_[tile].begin() + static_cast<std::ptrdiff_t>(rows.first);
    std::fill(first, first + static_cast<std::ptrdiff_t>(rows.count), true);
  }
}

std::vector<PartOfC> Coverage::missing() const {
  const std::lock_guard lock(mutex_);
  std::vector<PartOfC> parts;
  const bool alike = std::adjacent_find(done_.begin(), done_.end(), std::not_equal_to<>()) == done_.end();
  if (alike) {
    add_runs(done_.front(), {0, columns_}, parts);
    return parts;
  }
  for (std::size_t tile = 0; tile < done_.size(); ++tile)
    add_runs(done_[tile], part_of(columns_, tile_columns_, tile), parts);
  return parts;
}

void Coverage::add_runs(const Done& done, const Range& columns, std::vector<PartOfC>& parts) {
  for (auto first = done.begin();;) {
    first = std::find(first, done.end(), false);
    if (first == done.end()) return;
    const auto end = std::find(first, done.end(), true);
    parts.push_back(
        {{static_cast<std::size_t>(first - done.begin()), static_cast<std::size_t>(end - first)}, columns});
    first = end;
  }
}

}  // namespace clgemm
