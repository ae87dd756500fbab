#include "plans.hpp"

#include <algorithm>

#include "base/sizes.hpp"
#include "catch.hpp"
#include "plan/blocks.hpp"

namespace clgemm::test {
namespace {

std::size_t packed_rows_a(const Plan& plan) {
  return round_up(plan.block_m, plan.first().gemm().tile_rows);
}
std::size_t packed_depth(const Plan& plan) {
  return round_up(plan.block_k, plan.first().gemm().tile_depth);
}
std::size_t packed_columns_b(const Plan& plan) {
  return round_up(plan.block_n, plan.first().gemm().tile_columns);
}

// Checks a plan with one launch that packs both operands, or the one that the kernel does not read in place.
// The copies and the notes follow each other in scratch.
void check_planes(const Plan& plan) {
  const Stage& stage = plan.first();
  const KernelConfig& kernel = stage.gemm();
  const KernelConfig& pack = *stage.programs[ProgramRole::pack_both];
  CHECK((kernel.keeps_a || kernel.keeps_b) == kernel.manifest().keeps_one());
  CHECK_FALSE((kernel.keeps_a && kernel.keeps_b));
  const auto end_of = [&](bool is_kept, const PackedCopy& copy, std::size_t lines) {
    const std::size_t elements = is_kept ? 0 : packed_size(pack, lines, packed_depth(plan));
    CHECK(copy.elements == elements);
    return copy.scratch_offset + elements;
  };
  const std::size_t a_end = end_of(kernel.keeps_a, stage.a, packed_rows_a(plan));
  const std::size_t b_end = end_of(kernel.keeps_b, stage.b, packed_columns_b(plan));
  if (!kernel.manifest().keeps_one()) CHECK(a_end <= stage.b.scratch_offset);
  CHECK(std::max(a_end, b_end) <= stage.notes.scratch_offset);
  CHECK((stage.notes.a_groups == 0) == kernel.keeps_a);
  CHECK((stage.notes.b_groups == 0) == kernel.keeps_b);
  const std::size_t notes = 2 * (stage.notes.a_groups + stage.notes.b_groups);
  CHECK((stage.notes.scratch_offset + notes) * sizeof(float) <= plan.scratch_bytes);
  CHECK_FALSE(stage.has(ProgramRole::pack_a));
  CHECK_FALSE(stage.has(ProgramRole::pack_b));
  REQUIRE(plan.stages.size() >= 2);
  CHECK(plan.stages.back().gemm().manifest().role == Role::fallback);
}

void check_blocks(const Plan& plan, const Problem& problem) {
  const KernelConfig& kernel = plan.first().gemm();
  const auto check_block = [](std::size_t block, std::size_t size, std::size_t tile) {
    CHECK(block >= 1);
    CHECK(block <= size);
    CHECK(block <= max_block);
    if (block < size) CHECK(block % tile == 0);  // whole tiles, so that every later block starts at a tile
  };
  check_block(plan.block_m, problem.m, kernel.tile_rows);
  check_block(plan.block_n, problem.n, kernel.tile_columns);
  check_block(plan.block_k, problem.k, kernel.tile_depth);
}

// An operand of rows x columns, in tiles of tile_rows x tile_columns. It is packed as the kernel needs it, or
// has that form already.
struct TiledOperand {
  ProgramRole pack;
  const PackedCopy& copy;
  const Operand& source;
  std::size_t rows, columns, tile_rows, tile_columns, least_ld;
};

void check_operand(const Stage& stage, const TiledOperand& operand) {
  const KernelConfig& kernel = stage.gemm();
  if (stage.has(operand.pack)) {
    CHECK_FALSE(kernel.reads_in_place());
    CHECK(operand.copy.ld >= operand.least_ld);
    CHECK(operand.copy.ld % kernel.align == 0);
    CHECK(operand.copy.scratch_offset % kernel.align == 0);
    const std::string transpose = operand.source.transposed ? "-DTRANSPOSE=1" : "-DTRANSPOSE=0";
    CHECK(stage.programs[operand.pack]->build_options.find(transpose) != std::string::npos);
  } else if (!kernel.reads_in_place() && kernel.manifest().fallback.empty()) {
    CHECK_FALSE(operand.source.transposed);
    CHECK(operand.rows % operand.tile_rows == 0);
    CHECK(operand.columns % operand.tile_columns == 0);
    CHECK(operand.source.ld % kernel.align == 0);
    CHECK(operand.source.offset % kernel.align == 0);
    CHECK(operand.source.base_alignment % kernel.align == 0);
  }
}

void check_operands(const Plan& plan, const Problem& called) {
  const Problem problem = with_vectors_as_lines(called);
  const Stage& stage = plan.first();
  const KernelConfig& kernel = stage.gemm();
  check_operand(stage, {ProgramRole::pack_a, stage.a, problem.a, problem.m, problem.k, kernel.tile_rows,
                        kernel.tile_depth, packed_depth(plan)});
  check_operand(stage, {ProgramRole::pack_b, stage.b, problem.b, problem.k, problem.n, kernel.tile_depth,
                        kernel.tile_columns, packed_columns_b(plan)});
}

void check_shares(const Stage& stage) {
  const KernelConfig& kernel = stage.gemm();
  CHECK(stage.group_rows <= kernel.tile_rows);
  CHECK(stage.group_columns <= kernel.tile_columns);
  if (kernel.manifest().takes_shares()) {
    CHECK(stage.group_rows % kernel.share_rows == 0);
    CHECK(stage.group_columns % kernel.share_columns == 0);
  } else {
    CHECK(stage.group_rows == kernel.tile_rows);
    CHECK(stage.group_columns == kernel.tile_columns);
  }
}

// Checks that the slices along k cover it, begin at whole steps, and end with the scratch buffer.
void check_slices(const Plan& plan) {
  const Stage& stage = plan.first();
  const KernelConfig& kernel = stage.gemm();
  const SplitPlan& split = stage.split;
  const std::size_t depth = kernel.reads_in_place() ? plan.block_k : packed_depth(plan);
  CHECK((split.slices > 1) == stage.has(ProgramRole::reduce));
  CHECK(split.slices >= 1);
  if (!stage.has(ProgramRole::reduce)) return;
  if (!kernel.reads_in_place()) CHECK(split.depth % kernel.tile_depth == 0);
  CHECK(split.depth % kernel.align == 0);
  CHECK((split.slices - 1) * split.depth < depth);
  CHECK(split.slices * split.depth >= depth);
  CHECK(split.slices <= max_groups_beyond_first);
  CHECK(split.ld >= plan.block_n);
  CHECK(split.ld % 4 == 0);
  CHECK(split.stride >= plan.block_m * split.ld);
  CHECK(split.scratch_offset % 4 == 0);
  CHECK((split.scratch_offset + split.slices * split.stride) * sizeof(float) == plan.scratch_bytes);
  CHECK(plan.block_batch == 1);
}

// Checks that the packed copies do not overlap, and are inside the scratch buffer and before the slices of
// split-K.
void check_scratch(const Plan& plan) {
  const Stage& stage = plan.first();
  const bool packs_a = stage.has(ProgramRole::pack_a);
  const bool packs_b = stage.has(ProgramRole::pack_b);
  const std::size_t a_end = packs_a ? stage.a.scratch_offset + packed_rows_a(plan) * stage.a.ld : 0;
  const std::size_t b_end = packs_b ? stage.b.scratch_offset + packed_depth(plan) * stage.b.ld : 0;
  CHECK(std::max(a_end, b_end) * sizeof(float) <= plan.scratch_bytes);
  if (packs_a && packs_b) {
    CHECK((a_end <= stage.b.scratch_offset || b_end <= stage.a.scratch_offset));
  }
  if (stage.has(ProgramRole::reduce)) CHECK(std::max(a_end, b_end) <= stage.split.scratch_offset);
  if (stage.has(ProgramRole::pack_both)) {
    check_planes(plan);
  } else if (!packs_a && !packs_b && !stage.has(ProgramRole::reduce)) {
    CHECK(plan.scratch_bytes == 0);
  }
}

}  // namespace

void check_plan(const Plan& plan, const Problem& problem, std::size_t limit) {
  CHECK(plan.scratch_bytes <= limit);
  check_blocks(plan, problem);
  check_operands(plan, problem);
  check_shares(plan.first());
  check_slices(plan);
  check_scratch(plan);
}

std::size_t tile_bytes(const KernelConfig& kernel) {
  return sizeof(float) * (round_up(kernel.tile_rows * kernel.tile_depth, 64) +
                          round_up(kernel.tile_depth * kernel.tile_columns, 64));
}

std::size_t least_scratch_bytes(Planner& make, const std::string& kernel) {
  const KernelConfig& config = *make.configs.get(kernel, {});
  if (config.manifest().fallback.empty()) return tile_bytes(config);
  const KernelConfig& pack =
      *make.configs.get("pack_both_" + config.manifest().operands, config.packing_values);
  const std::size_t notes = 2 * 64;  // one work-group for each operand, rounded up
  const auto copy = [&](bool is_kept, std::size_t lines) {
    return is_kept ? 0 : packed_size(pack, lines, config.tile_depth);
  };
  const std::size_t own = sizeof(float) * (copy(config.keeps_a, config.tile_rows) +
                                           copy(config.keeps_b, config.tile_columns) + notes);
  // Its fallback packs to the same memory.
  const std::string& behind = config.manifest().fallback;
  const bool packs = !make.configs.get(behind, {})->manifest().fallback.empty();
  return packs ? std::max(own, least_scratch_bytes(make, behind)) : own;
}

}  // namespace clgemm::test
