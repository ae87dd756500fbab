// Split-K: if C has too few tiles to fill the device, each slice along k gets its own work-groups, and a
// second kernel adds up their results. The speed model decides how many slices there are.
#pragma once

#include <cstddef>

#include "kernel/kernel_config.hpp"

namespace clgemm {

// The most tiles of C whose slices one launch counts. More tiles fill every device without split-K.
inline constexpr std::size_t most_arrivals = 16384;

// Slices are counted in dimension 2 of the launch.
inline constexpr std::size_t max_slices = max_groups_beyond_first;

struct KSplit {
  std::size_t slices = 1;  // slices, including the shorter one at the end
  std::size_t depth = 1;   // depth of each slice except the last; all of k without split-K
};

// Returns the depth of each slice except the last, if k is split into `parts` slices that begin at multiples
// of `unit`.
std::size_t depth_of_slices(std::size_t k, std::size_t slices, std::size_t unit);

// Returns the multiple at which slices may begin: the start of a whole step along k, with aligned operands. A
// kernel that checks the end of k itself needs no whole steps, but may read four elements at once.
std::size_t depth_unit(const KernelConfig& kernel);

// Returns the depth that the kernel walks through.
std::size_t walked_k(std::size_t k, const KernelConfig& kernel);

// No slice is shallower, because otherwise the launches would take most of the time.
inline constexpr std::size_t least_slice_depth = 64;

// Splits k into slices of equal depth, at most `parts` of them, that begin at multiples of `unit`.
KSplit split_evenly(std::size_t k, std::size_t slices, std::size_t unit);

// Return the size of one slice's result in scratch, in elements. Rows are padded to a multiple of four.
std::size_t slice_ld(std::size_t n);
std::size_t slice_elements(std::size_t m, std::size_t n);

}  // namespace clgemm
