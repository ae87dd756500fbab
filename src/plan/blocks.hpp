// Divides a problem into blocks that a kernel can count and that the scratch has room for.
#pragma once

#include <cstddef>
#include <limits>

#include "base/device.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// Returns the most scratch that a call may take by default: a quarter of the device's memory, in one
// allocation.
std::size_t default_scratch_limit(const Device& device);
inline constexpr std::size_t unlimited_scratch = std::numeric_limits<std::size_t>::max();

// Cuts the plan's problem into blocks whose packed copies take at most `limit` bytes, and places these copies
// in scratch. Then it splits k into as many slices as are wanted and fit, and divides a block among
// work-groups. The stages' programs must be known. Throws Error(out_of_memory) if not even one tile fits
// under the limit.
void fit_blocks(Plan& plan, std::size_t limit);

// A block as a kernel that computes only whole tiles sees it.
struct Padded {
  std::size_t rows, columns, depth;
};
Padded padded(const GemmSize& block, const KernelConfig& kernel);

// Kernels count rows, columns and depth in 32 bits, so larger problems are cut into blocks.
inline constexpr std::size_t max_block = std::size_t{1} << 30;

// With `grid: tiles`, the product of rows and columns is counted in 32 bits.
inline constexpr std::size_t max_tiles_a_side = 32768;

// A launch that packs both operands has this many work-groups a compute unit for each operand, which keeps
// the memory busy. On an H200, 512 x 8192 x 8192 takes 5 % longer with 4, and 2 % with 8.
inline constexpr std::size_t packing_groups_a_unit = 16;

}  // namespace clgemm
