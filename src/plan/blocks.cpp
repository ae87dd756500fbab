#include "plan/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "plan/k_split.hpp"
#include "plan/sharing.hpp"

namespace clgemm {
namespace {

// Hands out the scratch of one block, in floats. Everything in it begins at a cache line.
class ScratchLayout {
 public:
  explicit ScratchLayout(std::size_t copies_of_batch) : copies_of_batch_(copies_of_batch) {}

  void place(PackedCopy& copy, const Operand& source, std::size_t ld, std::size_t elements) {
    const std::size_t size = round_up(elements, cache_line);
    copy.ld = ld;
    copy.elements = elements;
    copy.stride = is_one_for_all(source) ? 0 : size;
    copy.scratch_offset = take(clamped_product(size, copies(source)));
  }

  std::size_t take(std::size_t elements) {
    const std::size_t place = taken_;
    taken_ += round_up(elements, cache_line);
    return place;
  }

  std::size_t copies(const Operand& source) const { return is_one_for_all(source) ? 1 : copies_of_batch_; }
  std::size_t taken() const { return taken_; }

 private:
  static bool is_one_for_all(const Operand& source) { return source.stride == 0; }

  std::size_t copies_of_batch_;
  std::size_t taken_ = 0;
};

Padded padded_block(const Plan& plan, const KernelConfig& kernel) {
  return padded({plan.block_m, plan.block_n, plan.block_k}, kernel);
}

void place_copies(const Plan& plan, Stage& stage, ScratchLayout& scratch) {
  const auto [rows, columns, depth] = padded_block(plan, stage.gemm());
  const Problem& problem = plan.problem;
  if (stage.has(ProgramRole::pack_a)) scratch.place(stage.a, problem.a, depth, clamped_product(rows, depth));
  if (stage.has(ProgramRole::pack_b))
    scratch.place(stage.b, problem.b, columns, clamped_product(depth, columns));
  if (!stage.has(ProgramRole::pack_both)) return;
  const KernelConfig& pack = *stage.programs[ProgramRole::pack_both];
  if (!stage.gemm().keeps_a) scratch.place(stage.a, problem.a, depth, packed_size(pack, rows, depth));
  if (!stage.gemm().keeps_b) scratch.place(stage.b, problem.b, depth, packed_size(pack, columns, depth));
}

// Returns the number of work-groups that pack. They are few and pack many tiles each, because every
// work-group of the GEMM kernel reads all their notes.
std::size_t packing_groups(const Plan& plan, const KernelConfig& pack, std::size_t lines, std::size_t depth) {
  const std::size_t tiles = ceil_div(lines, pack.tile_rows) * ceil_div(depth, pack.tile_columns);
  return std::min(tiles, packing_groups_a_unit * plan.compute_units);
}

void place_notes(const Plan& plan, Stage& stage, ScratchLayout& scratch) {
  static_assert(sizeof(cl_uint) == sizeof(float),
                "a note must have the size of a float, because scratch is counted in floats");
  if (!stage.has(ProgramRole::pack_both)) return;
  const KernelConfig& pack = *stage.programs[ProgramRole::pack_both];
  const Padded block = padded_block(plan, stage.gemm());
  const KernelConfig& kernel = stage.gemm();
  stage.notes.a_groups = kernel.keeps_a ? 0 : packing_groups(plan, pack, block.rows, block.depth);
  stage.notes.b_groups = kernel.keeps_b ? 0 : packing_groups(plan, pack, block.columns, block.depth);
  const std::size_t notes = scratch.copies(plan.problem.a) * stage.notes.a_groups +
                            scratch.copies(plan.problem.b) * stage.notes.b_groups;
  stage.notes.words = pack.manifest().range_notes;
  stage.notes.scratch_offset = scratch.take(notes * stage.notes.words + plan.block_batch);
}

// Places the packed copies of one block and the notes in scratch, and adds up their sizes. A stage packs
// after the GEMM kernel of the stage before has finished, so the copies of all stages begin at the same
// place. Notes stay, because each stage leaves its notes for the next one.
void lay_out_scratch(Plan& plan) {
  ScratchLayout scratch(plan.block_batch);
  std::size_t copies = 0;
  for (Stage& stage : plan.stages) {
    ScratchLayout of_stage(plan.block_batch);
    place_copies(plan, stage, of_stage);
    copies = std::max(copies, of_stage.taken());
  }
  scratch.take(copies);
  for (Stage& stage : plan.stages) place_notes(plan, stage, scratch);
  plan.scratch_bytes = scratch.taken() * sizeof(float);
}

// Splits k as the stage wants it, into slices whose results fit in the rest of the scratch.
void split_k(Plan& plan, Stage& stage, std::size_t limit) {
  SplitPlan& split = stage.split;
  split = {split.wanted_slices, 1, plan.block_k};
  const std::size_t slice = slice_elements(plan.block_m, plan.block_n);
  const std::size_t slice_bytes = clamped_product(slice, sizeof(float));
  const std::size_t most = std::min((limit - plan.scratch_bytes) / slice_bytes, max_slices);
  if (split.wanted_slices == 1 || most < 2 || slice > max_block) return;
  const KernelConfig& kernel = stage.gemm();
  const KSplit even =
      split_evenly(walked_k(plan.block_k, kernel), std::min(split.wanted_slices, most), depth_unit(kernel));
  if (even.slices < 2) return;
  const std::size_t tiles =
      ceil_div(plan.block_m, kernel.tile_rows) * ceil_div(plan.block_n, kernel.tile_columns);
  const bool adds = kernel.adds_slices && tiles <= most_arrivals;
  if (!adds && kernel.manifest().keeps_one()) return;  // its packed operand is not a batch of slices
  if (plan.block_batch > 1) {
    plan.block_batch = 1;
    lay_out_scratch(plan);
  }
  split = {split.wanted_slices,    even.slices, even.depth,
           slice_ld(plan.block_n), slice,       plan.scratch_bytes / sizeof(float),
           adds ? tiles : 0};
  plan.scratch_bytes += even.slices * slice_bytes;
}

// Returns how many work-groups share the tiles of each matrix, if a device runs `at_a_time` work-groups at a
// time. They have equally many tiles, or one less. To begin takes a work-group about as long as to multiply
// `depth_of_begin` of k (2 us on an H200, November 2026). Work-groups of a batch share tiles only if that
// shortens the estimate by a quarter. Otherwise the device spreads them better, one for each tile. With
// shared tiles, fp16x3_wgmma takes 0.92 to 0.99 times as long for the seven of 16 batches that this rule
// selects, and up to 1.08 times as long for the others (H200, November 2026).
std::size_t groups_sharing(std::size_t tiles, std::size_t matrices, std::size_t k, std::size_t at_a_time) {
  constexpr std::size_t depth_of_begin = 128;
  if (matrices == 1) return std::min(tiles, at_a_time);
  const auto time_of = [&](std::size_t groups) {
    return ceil_div(groups * matrices, at_a_time) * (ceil_div(tiles, groups) * k + depth_of_begin);
  };
  std::size_t best = tiles;
  std::size_t least = time_of(tiles) * 3 / 4;
  for (std::size_t groups = 1; groups <= std::min(tiles, at_a_time); ++groups) {
    const std::size_t time = time_of(groups);
    if (time > least) continue;
    best = groups;
    least = time;
  }
  return best;
}

// Sets the part of C that one work-group of the stage computes, or the number of work-groups that compute C.
void divide_among_groups(const Plan& plan, Stage& stage) {
  const KernelConfig& kernel = stage.gemm();
  Share share{kernel.tile_rows, kernel.tile_columns};
  if (kernel.manifest().takes_shares()) {
    share = best_share({{plan.block_m, plan.block_n, plan.block_k},
                        plan.block_batch,
                        kernel.tile_rows,
                        kernel.tile_columns,
                        kernel.share_rows,
                        kernel.share_columns},
                       plan.compute_units);
  }
  stage.group_rows = share.rows;
  stage.group_columns = share.columns;
  stage.most_groups = 0;
  if (kernel.persistent == 0) return;
  const std::size_t tiles = ceil_div(plan.block_m, share.rows) * ceil_div(plan.block_n, share.columns);
  stage.most_groups = groups_sharing(tiles, ceil_div(plan.block_batch, kernel.matrices),
                                     walked_k(plan.block_k, kernel), kernel.persistent * plan.compute_units);
}

// A side of a block, and the multiple to which it can be cut.
struct Side {
  std::size_t* size;
  std::size_t tile;
};

// Halves a side in whole tiles. Returns false if it is already one tile.
bool halve(const Side& side) {
  const std::size_t half = round_up((*side.size + 1) / 2, side.tile);
  if (half >= *side.size) return false;
  *side.size = half;
  return true;
}

bool packs_a(const Stage& stage) {
  return stage.has(ProgramRole::pack_a) || (stage.has(ProgramRole::pack_both) && !stage.gemm().keeps_a);
}

bool packs_b(const Stage& stage) {
  return stage.has(ProgramRole::pack_b) || (stage.has(ProgramRole::pack_both) && !stage.gemm().keeps_b);
}

// Makes the block smaller: first it takes fewer matrices of a batch, then it halves the longest packed side.
// Returns false if only tiles are left.
bool cut_block(Plan& plan) {
  if (halve({&plan.block_batch, 1})) return true;
  const KernelConfig& kernel = plan.first().gemm();
  const auto any = [&plan](bool (*packs)(const Stage&)) {
    return std::any_of(plan.stages.begin(), plan.stages.end(), packs);
  };
  std::vector<Side> sides = {{&plan.block_k, kernel.tile_depth}};
  if (any(packs_a)) sides.push_back({&plan.block_m, kernel.tile_rows});
  if (any(packs_b)) sides.push_back({&plan.block_n, kernel.tile_columns});
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return *x.size > *y.size; });
  return std::any_of(sides.begin(), sides.end(), halve);
}

// Returns the longest side of a block that the kernel's 32-bit counts and the device's limit of work-groups
// allow.
std::size_t longest_side(const KernelConfig& kernel, GridAxis axis, std::size_t tile, std::size_t share) {
  const auto& grid = kernel.manifest().grid;
  if (share != 0) tile = tile / share * share;  // the part of a work-group is a multiple of a share
  std::size_t tiles = max_block / tile;
  if (grid.size() > 1 && grid[1] == axis) tiles = std::min(tiles, max_groups_beyond_first);
  if (grid[0] == GridAxis::tiles) tiles = std::min(tiles, max_tiles_a_side);
  return tiles * tile;
}

}  // namespace

std::size_t default_scratch_limit(const Device& device) {
  return std::min(device.global_bytes / 4, device.max_allocation_bytes);
}

Padded padded(const GemmSize& block, const KernelConfig& kernel) {
  return {round_up(block.m, kernel.tile_rows), round_up(block.n, kernel.tile_columns),
          round_up(block.k, kernel.tile_depth)};
}

void fit_blocks(Plan& plan, std::size_t limit) {
  const Problem& problem = plan.problem;
  const KernelConfig& kernel = plan.first().gemm();
  plan.block_m =
      std::min(problem.m, longest_side(kernel, GridAxis::rows, kernel.tile_rows, kernel.share_rows));
  plan.block_n =
      std::min(problem.n, longest_side(kernel, GridAxis::columns, kernel.tile_columns, kernel.share_columns));
  plan.block_k = std::min(problem.k, max_block / kernel.tile_depth * kernel.tile_depth);
  plan.block_batch = std::min(problem.batch_count, max_groups_beyond_first * kernel.matrices);
  for (lay_out_scratch(plan); plan.scratch_bytes > limit; lay_out_scratch(plan)) {
    if (cut_block(plan)) continue;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format(
            "the kernel '{}' needs {} bytes of scratch memory for its smallest block, but the limit is {}",
            kernel.name, plan.scratch_bytes, limit),
        Argument::options);
  }
  for (Stage& stage : plan.stages) split_k(plan, stage, limit);
  for (Stage& stage : plan.stages) divide_among_groups(plan, stage);
}

}  // namespace clgemm
