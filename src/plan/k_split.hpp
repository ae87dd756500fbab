// k in parts: where C has too few tiles to fill the device, each part of k has work-groups of its own, and a
// second kernel adds the parts up. How many, the speed model says.
#pragma once

#include <cstddef>

#include "kernel/kernel_config.hpp"

namespace clgemm {

// Tiles of C whose parts one launch counts: more of them fill every device without parts.
inline constexpr std::size_t most_arrivals = 16384;

// Parts are counted in the launch's dimension 2.
inline constexpr std::size_t max_parts = max_groups_beyond_first;

struct KSplit {
  std::size_t parts = 1;  // with the shorter one at the end
  std::size_t depth = 1;  // of each part but that one; all of k where it is not split
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

// k in parts of equal depth, at most `parts` of them, that begin at multiples of `unit`.
KSplit split_evenly(std::size_t k, std::size_t parts, std::size_t unit);

// Elements of the result of one part in scratch: rows of whole fours.
std::size_t part_ld(std::size_t n);
std::size_t part_elements(std::size_t m, std::size_t n);

}  // namespace clgemm
