// k in parts: where C has too few tiles to fill the device, each part of k has work-groups of its own, and a
// second kernel adds the parts up. How many, as a pure function of the work and the device.
#pragma once

#include <cstddef>

#include "base/device.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// A multiply as the work-groups of one kernel see it.
struct TiledWork {
  std::size_t m = 1;
  std::size_t n = 1;
  std::size_t k = 1;
  std::size_t batch_count = 1;
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
  std::size_t depth_unit = 1;   // parts begin at multiples of this
  std::size_t group_items = 1;  // work-items of a work-group
  double speed = 1.0;           // of a compute unit with this kernel, beside the fastest one
};

std::size_t tiles_of(const TiledWork& work);

// Tiles of C whose parts one launch counts: more of them fill every device without parts.
inline constexpr std::size_t most_arrivals = 16384;

// Parts are counted in the launch's dimension 2.
inline constexpr std::size_t max_parts = max_groups_beyond_first;

struct KSplit {
  std::size_t parts = 1;  // with the shorter one at the end
  std::size_t depth = 1;  // of each part but that one; all of k where it is not split
  double cost = 0.0;      // in multiply-adds that one compute unit does in the time
};

// The depth of each of so many parts of k, but for the last one: parts begin at multiples of `unit`.
std::size_t depth_of_parts(std::size_t k, std::size_t parts, std::size_t unit);

// Where parts of k may begin: where a whole step does and operands are aligned. A kernel that keeps within k
// by itself needs no whole steps, but may read four elements at once.
std::size_t depth_unit(const KernelConfig& kernel);

// k as the kernel walks it.
std::size_t walked_k(std::size_t k, const KernelConfig& kernel);

// A part is no shallower, or launches are all that is measured.
inline constexpr std::size_t least_part_depth = 64;

// k in parts of equal depth, at most `parts` of them.
KSplit split_evenly(const TiledWork& work, std::size_t parts, std::size_t compute_units);

// The cheapest split into at most `most_parts`. A batch of several is not split: it has work-groups enough,
// or would need as much scratch as all its results.
KSplit best_split(const TiledWork& work, std::size_t most_parts, std::size_t compute_units);

// Elements of the result of one part in scratch: rows of whole fours.
std::size_t part_ld(std::size_t n);
std::size_t part_elements(std::size_t m, std::size_t n);

}  // namespace clgemm
