// A problem in blocks that fit: what a kernel can count, and what the scratch has room for.
#pragma once

#include <cstddef>
#include <limits>

#include "base/device.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// The most scratch that a call may take by default: a quarter of the device's memory, in one allocation.
std::size_t default_scratch_limit(const Device& device);
inline constexpr std::size_t unlimited_scratch = std::numeric_limits<std::size_t>::max();

// Cuts the plan's problem into blocks whose packed copies take at most `limit` bytes, places these in
// scratch, splits k in as many parts as are wanted and fit, and divides a block among work-groups. The
// stages' programs are known. Throws Error(out_of_memory) where not even one tile fits under the limit.
void fit_blocks(Plan& plan, std::size_t limit);

// A block as a kernel with whole tiles sees it.
struct Padded {
  std::size_t rows, columns, depth;
};
Padded padded(const GemmSize& block, const KernelConfig& kernel);

// Kernels count rows, columns and depth in 32 bits; larger problems are cut into blocks.
inline constexpr std::size_t max_block = std::size_t{1} << 30;

// With `grid: tiles`, rows times columns are counted in 32 bits.
inline constexpr std::size_t max_tiles_a_side = 32768;

// Of a launch that packs both operands, for each operand: enough to keep the memory busy. On an H200 512 x
// 8192 x 8192 takes 5 % longer with 4, and 2 % with 8.
inline constexpr std::size_t packing_groups_a_unit = 16;

}  // namespace clgemm
