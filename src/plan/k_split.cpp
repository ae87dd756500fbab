#include "plan/k_split.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/sizes.hpp"

namespace clgemm {
namespace {

// Measured on an H200 (132 compute units, each 253 multiply-adds a nanosecond); what they stand for is much
// the same in time on other GPUs: 1.6 us a launch, 0.4 us a work-group, 0.4 ns an element.
constexpr double saturating_items = 256.0;  // work-items that a compute unit needs for its full speed
constexpr double launch_cost = 400'000.0;   // multiply-adds of one compute unit while a kernel starts
constexpr double group_cost = 100'000.0;    // and while a work-group of 64 x 128 begins and ends
constexpr double element_cost = 100.0;      // and while an element of a part is written and read again

// Of one launch of `groups` work-groups that go `depth` along k. A compute unit with few work-items waits for
// memory most of the time, so that more of them cost nothing.
double launch_of(const TiledWork& work, std::size_t groups, std::size_t depth, std::size_t compute_units) {
  const double tile = static_cast<double>(work.tile_rows) * static_cast<double>(work.tile_columns);
  const double full = saturating_items / static_cast<double>(work.group_items);
  const double turns = std::max(static_cast<double>(ceil_div(groups, compute_units)), full);
  return launch_cost +
         turns * (tile * static_cast<double>(depth) / work.speed + group_cost * tile / (64.0 * 128.0));
}

// The multiply of whole parts, that of the rest, and the adding.
double time_of_split(const TiledWork& work, std::size_t depth, std::size_t compute_units) {
  const std::size_t tiles = tiles_of(work);
  if (depth >= work.k) return launch_of(work, tiles * work.batch_count, work.k, compute_units);
  const std::size_t whole = work.k / depth;
  const std::size_t rest = work.k % depth;
  double cost = launch_of(work, tiles * whole, depth, compute_units) + launch_cost;
  if (rest != 0) cost += launch_of(work, tiles, rest, compute_units);
  const double elements = static_cast<double>(work.m) * static_cast<double>(work.n) *
                          static_cast<double>(ceil_div(work.k, depth));
  cost += elements * element_cost / static_cast<double>(compute_units);
  return cost * static_cast<double>(work.batch_count);
}

std::size_t depth_of(const TiledWork& work, std::size_t parts) {
  return depth_of_parts(work.k, parts, work.depth_unit);
}

KSplit split_at(const TiledWork& work, std::size_t depth, std::size_t compute_units) {
  return {ceil_div(work.k, depth), std::min(depth, work.k), time_of_split(work, depth, compute_units)};
}

}  // namespace

std::size_t tiles_of(const TiledWork& work) {
  return ceil_div(work.m, work.tile_rows) * ceil_div(work.n, work.tile_columns);
}

std::size_t depth_of_parts(std::size_t k, std::size_t parts, std::size_t unit) {
  return round_up(ceil_div(k, parts), unit);
}

std::size_t depth_unit(const KernelConfig& kernel) {
  constexpr std::size_t vector = 4;
  return kernel.reads_in_place() ? std::lcm(kernel.align, vector) : std::lcm(kernel.tile_depth, kernel.align);
}

std::size_t walked_k(std::size_t k, const KernelConfig& kernel) {
  return kernel.reads_in_place() ? k : round_up(k, kernel.tile_depth);
}

KSplit split_evenly(const TiledWork& work, std::size_t parts, std::size_t compute_units) {
  return split_at(work, depth_of(work, parts), compute_units);
}

KSplit best_split(const TiledWork& work, std::size_t most_parts, std::size_t compute_units) {
  KSplit best = split_evenly(work, 1, compute_units);
  const auto consider = [&](std::size_t depth) {
    if (depth < least_part_depth || ceil_div(work.k, depth) > most_parts) return;
    const KSplit split = split_at(work, depth, compute_units);
    if (split.cost < best.cost) best = split;
  };
  // As many parts as make 1, 2, ... turns of all compute units: with a long rest, a short one, or fewer
  // parts, a power of two, for which there is often no rest.
  const std::size_t tiles = tiles_of(work);
  for (const std::size_t turns : {1U, 2U, 3U, 4U, 6U, 8U}) {
    const std::size_t parts = std::min(turns * compute_units / tiles, most_parts);
    if (parts < 2) continue;
    const std::size_t even = depth_of(work, parts);
    consider(even);
    consider(even - work.depth_unit);
    consider(depth_of(work, std::bit_floor(parts)));
  }
  return best;
}

std::size_t part_ld(std::size_t n) {
  return round_up(n, 4);
}

std::size_t part_elements(std::size_t m, std::size_t n) {
  return round_up(m * part_ld(n), cache_line);
}

}  // namespace clgemm
