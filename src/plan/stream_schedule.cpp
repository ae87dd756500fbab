#include "plan/stream_schedule.hpp"

#include <algorithm>
#include <array>

#include "base/sizes.hpp"

namespace clgemm {

namespace {

// Returns the rounds of a strip: the beginning and the length of each.
std::vector<std::array<std::size_t, 2>> along_strip(std::size_t tiles, std::size_t most, bool tapers) {
  std::vector<std::array<std::size_t, 2>> result;
  for (std::size_t begin = 0; begin < tiles;) {
    const std::size_t left = tiles - begin;
    const std::size_t length = tapers && left <= most ? ceil_div(left, 2) : std::min(left, most);
    result.push_back({begin, length});
    begin += length;
  }
  return result;
}

}  // namespace

std::vector<Round> rounds_of(const StreamPlan& plan) {
  const bool rows = plan.strips_of_rows;
  const auto strips = along_strip(rows ? plan.rows_of_tiles() : plan.columns_of_tiles(),
                                  rows ? plan.round_rows : plan.round_columns, false);
  const auto parts = along_strip(rows ? plan.columns_of_tiles() : plan.rows_of_tiles(),
                                 rows ? plan.round_columns : plan.round_rows, plan.tapers);
  std::vector<Round> result;
  for (const auto& [strip, width] : strips) {
    for (const auto& [begin, length] : parts) {
      // The last part of a strip that tapers is one tile long, so it tapers in the other direction. This is
      // not done among several devices, because a device that took a tile of another device's strip brought a
      // row of blocks for it. Two H200 took 0.265 s for 32768 in this way, and two others had taken 0.231 s
      // without it.
      const bool is_last =
          plan.tapers && plan.sharers == 1 && begin + length == parts.back()[0] + parts.back()[1];
      for (const auto& [first, count] : along_strip(width, width, is_last)) {
        result.push_back(rows ? Round{strip + first, begin, count, length}
                              : Round{begin, strip + first, length, count});
      }
    }
  }
  return result;
}

StreamSchedule::StreamSchedule(const StreamPlan& plan, bool reads_c) : plan_(plan), reads_c_(reads_c) {
  places(Matrix::a).all.resize(plan.a_blocks);
  places(Matrix::b).all.resize(plan.b_blocks);
  places(Matrix::c).all.resize(plan.c_blocks);
}

// Goes over the tiles in growing squares. Each further block of A and of B then allows more multiplications
// than the block before, so the device begins early and soon computes for longer than it waits.
void StreamSchedule::add(const Round& round) {
  for (std::size_t depth = 0; depth < plan_.depths(); ++depth) {
    for (std::size_t side = 0; side < std::max(round.rows, round.columns); ++side) {
      if (side < round.rows) {
        for (std::size_t column = 0; column < std::min(side, round.columns); ++column)
          add_step(round.row + side, round.column + column, depth);
      }
      if (side < round.columns) {
        for (std::size_t row = 0; row < std::min(side + 1, round.rows); ++row)
          add_step(round.row + row, round.column + side, depth);
      }
    }
  }
}

void StreamSchedule::add_step(std::size_t row, std::size_t column, std::size_t depth) {
  StreamStep step;
  step.row = row;
  step.column = column;
  step.depth = depth;
  step.is_last = depth + 1 == plan_.depths();
  step.place_of_a = place_for(Matrix::a, row, depth);
  step.place_of_b = place_for(Matrix::b, column, depth);
  const bool is_first = depth == 0;
  const std::size_t uploads_before = uploads_.size();
  step.place_of_c = place_for(Matrix::c, row, column);
  if (is_first) {
    step.c_after = uploads_.back().after;
    if (!reads_c_) uploads_.resize(uploads_before);
  }
  step.uploads = uploads_.size();
  steps_.push_back(step);
}

std::size_t StreamSchedule::place_for(Matrix matrix, std::size_t line, std::size_t other) {
  Places& of = places(matrix);
  const std::size_t step = steps_.size();
  const std::tuple block{line, other};
  if (const auto found = of.found.find(block); found != of.found.end()) {
    of.all[found->second].last_step = step;
    return found->second;
  }
  const auto longest_idle = std::min_element(
      of.all.begin(), of.all.end(), [](const auto& x, const auto& y) { return x.last_step < y.last_step; });
  const auto place = static_cast<std::size_t>(longest_idle - of.all.begin());
  if (longest_idle->block) of.found.erase(*longest_idle->block);
  uploads_.push_back({matrix, line, other, place, longest_idle->last_step});
  *longest_idle = {block, step};
  of.found[block] = place;
  return place;
}

}  // namespace clgemm
