// The plan of one multiply: plain data, made without any OpenCL call, that launch.cpp carries out to the
// letter. Layer 4.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "choose/candidates.hpp"
#include "kernel/config_cache.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

using SharedConfig = std::shared_ptr<const KernelConfig>;

// How the multiply kernel gets A or B.
struct OperandPlan {
  SharedConfig pack;               // null: used where it lies, or Plan::pack_both is set
  std::size_t ld = 0;              // of the packed copy, in elements
  std::size_t stride = 0;          // from one packed copy of a batch to the next; 0: one copy for all
  std::size_t scratch_offset = 0;  // of the first packed copy, in elements
};

// k in parts, where C has too few tiles: the parts' results go to scratch, and `reduce` adds them into C.
struct SplitPlan {
  SharedConfig reduce;             // null: k is not split
  std::size_t parts = 1;           // of a whole block
  std::size_t depth = 0;           // of each part but the last, which has the rest
  std::size_t ld = 0;              // of a part's result, in elements
  std::size_t stride = 0;          // from one part's result to the next
  std::size_t scratch_offset = 0;  // of the first part's result, in elements
};

// Everything is of the problem as the chosen kernel sees it.
struct Plan {
  SharedConfig multiply;
  OperandPlan a;
  OperandPlan b;
  SplitPlan split;
  std::size_t wanted_parts = 1;  // of k; 0: as many as pay by the rule of k_split.hpp

  // Where one launch packs A and B: lines along k of both, rows of op(A) and columns of op(B). Its
  // work-groups leave notes of what they saw, A's and then B's, for the device to decide whether the multiply
  // can do its work; where it cannot, `otherwise`, launched behind it, does. All null or 0: no such kernel.
  SharedConfig pack_both;
  SharedConfig otherwise;
  std::size_t a_groups = 0;  // of the packing, for each copy of A
  std::size_t b_groups = 0;
  std::size_t notes_offset = 0;  // in words; behind the notes a verdict for each matrix of the batch

  // A problem is done in blocks of at most this size; one block where that is the problem's own size.
  std::size_t block_m = 0;
  std::size_t block_n = 0;
  std::size_t block_k = 0;
  std::size_t block_batch = 1;

  // The part of C that one work-group computes: the kernel's tile, or less where it takes shares.
  std::size_t group_rows = 1;
  std::size_t group_columns = 1;
  std::size_t compute_units = 1;  // of the device: that many work-groups run at once

  std::size_t scratch_bytes = 0;  // for the packed copies and the parts' results of one block
  Candidate choice;               // what was asked for, and why
};

// The most scratch that a call may take by default: a quarter of the device's memory, in one allocation.
std::size_t default_scratch_limit(const Device& device);

// Of a launch that packs both operands, for each operand: enough to keep the memory busy. On an H200 512 x
// 8192 x 8192 takes 5 % longer with 4, and 2 % with 8.
inline constexpr std::size_t packing_groups_a_unit = 16;

// The plan for a kernel with at most `scratch_limit` bytes of scratch. Throws what ConfigCache::get() throws,
// and Error(out_of_memory) where not even one tile fits under the limit.
Plan make_plan(const Problem& problem, const Candidate& kernel, ConfigCache& configs,
               std::size_t scratch_limit);

// Cuts the problem into blocks whose packed copies take at most `limit` bytes, places these in scratch,
// splits k in as many parts as are wanted and fit, and divides a block among work-groups.
void fit_blocks(Plan& plan, const Problem& problem, std::size_t limit);
inline constexpr std::size_t unlimited_scratch = std::numeric_limits<std::size_t>::max();

// The plan in words, a line a fact: kernel, parameters, how it gets A and B, pads, blocks, the split of k,
// scratch, the reason.
std::string describe(const Plan& plan, const Problem& problem);

// Kernels count rows, columns and depth in 32 bits; larger problems are cut into blocks.
inline constexpr std::size_t max_block = std::size_t{1} << 30;

// Devices may count work-groups in 16 bits in every dimension but the first (NVIDIA's do).
inline constexpr std::size_t max_groups_beyond_first = 65535;

// With `grid: tiles`, rows times columns are counted in 32 bits.
inline constexpr std::size_t max_tiles_a_side = 32768;

// Rounds up to a multiple; `multiple` > 0.
constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace clgemm
