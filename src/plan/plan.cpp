#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "plan/k_split.hpp"
#include "plan/sharing.hpp"

namespace clgemm {
namespace {

// The pad between the packed copies, in elements: a whole cache line on every device we know.
constexpr std::size_t scratch_alignment = 64;

// op(X) as the multiply kernel sees it.
struct Shape {
  std::size_t rows;
  std::size_t columns;
};

bool fits_in_place(const Operand& operand, const KernelConfig& kernel, Shape shape, Shape tile) {
  if (kernel.is_direct()) return true;
  if (kernel.manifest().operands != padded_form) return false;
  const bool aligned = operand.ld % kernel.align == 0 && operand.offset % kernel.align == 0 &&
                       operand.base_alignment % kernel.align == 0;
  return !operand.transposed && aligned && operand.stride % kernel.align == 0 &&
         shape.rows % tile.rows == 0 && shape.columns % tile.columns == 0;
}

// Whether a kernel that takes operands as they lie may read them `align` elements at a time: every line of
// them begins at such a place and is as long.
bool is_aligned(const Problem& problem, const KernelConfig& kernel) {
  const auto fits = [&](std::size_t size) { return size % kernel.align == 0; };
  const auto lies_well = [&](const Operand& operand, std::size_t length) {
    return fits(operand.ld) && fits(operand.offset) && fits(operand.stride) && fits(operand.base_alignment) &&
           fits(length);
  };
  return lies_well(problem.a, problem.a.transposed ? problem.m : problem.k) &&
         lies_well(problem.b, problem.b.transposed ? problem.k : problem.n) && fits(kernel.tile_rows) &&
         fits(kernel.tile_columns) && fits(kernel.tile_depth);
}

SharedConfig pack_config(const Operand& operand, const KernelConfig& kernel, ConfigCache& configs) {
  const Parameters macros = {{"TRANSPOSE", operand.transposed ? 1 : 0}};
  // pack_padded has work-groups of 16 x 16 by default, which some small GPUs do not allow.
  const bool is_small =
      configs.device().max_work_group_size < 256 && kernel.manifest().operands == padded_form;
  return configs.get("pack_" + kernel.manifest().operands, is_small ? Parameters{{"TS", 8}} : Parameters{},
                     macros);
}

void check_role(const KernelConfig& helper, Role role, const KernelConfig& kernel) {
  if (helper.manifest().role == role) return;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("{}: '{}' ({}) has not the role that the kernel '{}' needs", kernel.file->path,
                          helper.name, helper.file->path, kernel.name));
}

// What a kernel that reads A and B where they lie is compiled with.
Parameters direct_macros(const Problem& problem, const KernelConfig& kernel) {
  Parameters result = {{"TRANSPOSE_A", problem.a.transposed ? 1 : 0},
                       {"TRANSPOSE_B", problem.b.transposed ? 1 : 0}};
  if (kernel.align > 1) result["ALIGNED"] = is_aligned(problem, kernel) ? 1 : 0;
  return result;
}

// Scratch of one block while it is given away, in floats.
class ScratchLayout {
 public:
  explicit ScratchLayout(std::size_t copies_of_batch) : copies_of_batch_(copies_of_batch) {}

  void place(OperandPlan& operand, const Operand& source, std::size_t columns, std::size_t elements) {
    const std::size_t size = round_up(elements, scratch_alignment);
    operand.ld = columns;
    operand.stride = is_one_for_all(source) ? 0 : size;
    operand.scratch_offset = take(clamped_product(size, copies(source)));
  }

  std::size_t take(std::size_t elements) {
    const std::size_t place = taken_;
    taken_ += round_up(elements, scratch_alignment);
    return place;
  }

  std::size_t copies(const Operand& source) const { return is_one_for_all(source) ? 1 : copies_of_batch_; }
  std::size_t taken() const { return taken_; }

 private:
  static bool is_one_for_all(const Operand& source) { return source.stride == 0; }

  std::size_t copies_of_batch_;
  std::size_t taken_ = 0;
};

// Few work-groups, each with many tiles: their notes are read by every work-group of the multiply.
std::size_t packing_groups(const Plan& plan, std::size_t lines, std::size_t depth) {
  const KernelConfig& pack = *plan.pack_both;
  const std::size_t tiles =
      (lines + pack.tile_rows - 1) / pack.tile_rows * ((depth + pack.tile_columns - 1) / pack.tile_columns);
  return std::min(tiles, packing_groups_a_unit * plan.compute_units);
}

// Places the packed copies of one block in scratch, and the notes, and sums them up.
void lay_out_scratch(Plan& plan, const Problem& problem) {
  const KernelConfig& kernel = *plan.multiply;
  ScratchLayout scratch(plan.block_batch);
  const std::size_t rows = round_up(plan.block_m, kernel.tile_rows);
  const std::size_t columns = round_up(plan.block_n, kernel.tile_columns);
  const std::size_t depth = round_up(plan.block_k, kernel.tile_depth);
  if (plan.a.pack) scratch.place(plan.a, problem.a, depth, clamped_product(rows, depth));
  if (plan.b.pack) scratch.place(plan.b, problem.b, columns, clamped_product(depth, columns));
  if (plan.pack_both) {
    static_assert(sizeof(cl_uint) == sizeof(float), "notes are words, and scratch is counted in floats");
    scratch.place(plan.a, problem.a, depth, packed_size(*plan.pack_both, rows, depth));
    scratch.place(plan.b, problem.b, depth, packed_size(*plan.pack_both, columns, depth));
    plan.a_groups = packing_groups(plan, rows, depth);
    plan.b_groups = packing_groups(plan, columns, depth);
    const std::size_t notes =
        scratch.copies(problem.a) * plan.a_groups + scratch.copies(problem.b) * plan.b_groups;
    plan.notes_offset = scratch.take(notes * plan.pack_both->manifest().notes + plan.block_batch);
  }
  plan.scratch_bytes = scratch.taken() * sizeof(float);
}

// The block as work-groups see it. Parts of k begin where a whole step does and operands are aligned; a
// kernel that keeps within k by itself needs no whole steps, but may read four elements at once.
TiledWork work_of(const Plan& plan, const Problem& problem) {
  constexpr std::size_t vector = 4;
  const KernelConfig& kernel = *plan.multiply;
  TiledWork work;
  work.m = plan.block_m;
  work.n = plan.block_n;
  work.k = kernel.is_direct() ? plan.block_k : round_up(plan.block_k, kernel.tile_depth);
  work.batch_count = problem.batch_count;
  work.tile_rows = kernel.tile_rows;
  work.tile_columns = kernel.tile_columns;
  work.depth_unit =
      kernel.is_direct() ? std::lcm(kernel.align, vector) : std::lcm(kernel.tile_depth, kernel.align);
  work.group_items = kernel.work_items();
  return work;
}

// Splits k as is wanted, in parts whose results fit in what the packed copies leave of the scratch.
void split_k(Plan& plan, const Problem& problem, std::size_t limit) {
  plan.split = {plan.split.reduce, 1, plan.block_k};
  const std::size_t part_bytes = clamped_product(part_elements(plan.block_m, plan.block_n), sizeof(float));
  const std::size_t most = std::min((limit - plan.scratch_bytes) / part_bytes, max_parts);
  if (plan.wanted_parts == 1 || most < 2 || part_elements(plan.block_m, plan.block_n) > max_block) return;
  const TiledWork work = work_of(plan, problem);
  const KSplit split = plan.wanted_parts == 0
                           ? best_split(work, most, plan.compute_units)
                           : split_evenly(work, std::min(plan.wanted_parts, most), plan.compute_units);
  if (split.parts < 2) return;
  plan.block_batch = 1;
  lay_out_scratch(plan, problem);
  plan.split = {plan.split.reduce,
                split.parts,
                split.depth,
                part_ld(plan.block_n),
                part_elements(plan.block_m, plan.block_n),
                plan.scratch_bytes / sizeof(float)};
  plan.scratch_bytes += split.parts * part_bytes;
}

// A side of a block, and the steps that it can be cut in.
struct Side {
  std::size_t* size;
  std::size_t tile;
};

// Halves a side in whole tiles; false where it is one tile already.
bool halve(const Side& side) {
  const std::size_t half = round_up((*side.size + 1) / 2, side.tile);
  if (half >= *side.size) return false;
  *side.size = half;
  return true;
}

// Makes the block smaller: first fewer matrices of a batch, then the longest side of what is packed. False
// where only tiles are left.
bool cut_block(Plan& plan) {
  if (halve({&plan.block_batch, 1})) return true;
  const KernelConfig& kernel = *plan.multiply;
  std::vector<Side> sides = {{&plan.block_k, kernel.tile_depth}};
  if (plan.a.pack || plan.pack_both) sides.push_back({&plan.block_m, kernel.tile_rows});
  if (plan.b.pack || plan.pack_both) sides.push_back({&plan.block_n, kernel.tile_columns});
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return *x.size > *y.size; });
  return std::any_of(sides.begin(), sides.end(), halve);
}

// The longest side of a block that the kernel's 32-bit counts and the device's count of work-groups allow.
std::size_t longest_side(const KernelConfig& kernel, GridAxis axis, std::size_t tile, std::size_t share) {
  const auto& grid = kernel.manifest().grid;
  if (share != 0) tile = tile / share * share;  // a work-group's part is a multiple of a share
  std::size_t tiles = max_block / tile;
  if (grid.size() > 1 && grid[1] == axis) tiles = std::min(tiles, max_groups_beyond_first);
  if (grid[0] == GridAxis::tiles) tiles = std::min(tiles, max_tiles_a_side);
  return tiles * tile;
}

std::string describe_operand(const char* name, const OperandPlan& operand, const KernelConfig& kernel) {
  if (operand.pack) {
    return fmt::format("{}: packed by {}, leading dimension {}\n", name, operand.pack->manifest().name,
                       operand.ld);
  }
  return fmt::format("{}: used where it lies{}\n", name, kernel.is_direct() ? "" : ", it already fits");
}

}  // namespace

std::size_t default_scratch_limit(const Device& device) {
  return std::min(device.global_bytes / 4, device.max_allocation_bytes);
}

void fit_blocks(Plan& plan, const Problem& problem, std::size_t limit) {
  const KernelConfig& kernel = *plan.multiply;
  plan.block_m =
      std::min(problem.m, longest_side(kernel, GridAxis::rows, kernel.tile_rows, kernel.share_rows));
  plan.block_n =
      std::min(problem.n, longest_side(kernel, GridAxis::columns, kernel.tile_columns, kernel.share_columns));
  plan.block_k = std::min(problem.k, max_block / kernel.tile_depth * kernel.tile_depth);
  plan.block_batch = std::min(problem.batch_count, max_groups_beyond_first);
  for (lay_out_scratch(plan, problem); plan.scratch_bytes > limit; lay_out_scratch(plan, problem)) {
    if (cut_block(plan)) continue;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("the kernel '{}' needs {} bytes of scratch for its smallest block; the limit is {}",
                    plan.multiply->name, plan.scratch_bytes, limit));
  }
  split_k(plan, problem, limit);
  divide_among_groups(plan);
}

namespace {

// A kernel that adds up the parts; null where this device runs none and nobody asked for parts.
SharedConfig reduce_config(const KernelConfig& kernel, std::size_t parts, ConfigCache& configs) {
  constexpr std::int64_t items = 256;
  const std::int64_t slots = parts >= 64 ? 16 : parts >= 8 ? 4 : 1;
  try {
    return configs.get("reduce_parts", {{"SLOTS", slots}, {"FOURS", items / slots}}, {});
  } catch (const Error& error) {
    const bool is_of_device =
        error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed;
    if (!is_of_device || kernel.split_k != 0) throw;
    return nullptr;
  }
}

// How many parts of k are wanted of this kernel. CPUs have work enough in one tile: their kernels block k.
std::size_t wanted_parts(const KernelConfig& kernel, const Device& device) {
  if (!can_split_k(kernel.manifest())) return 1;
  return kernel.split_k == 0 && device.kind == DeviceKind::cpu ? 1 : kernel.split_k;
}

}  // namespace

Plan make_plan(const Problem& stated, const Candidate& kernel, ConfigCache& configs,
               std::size_t scratch_limit) {
  const Problem problem = seen_by(kernel, stated);
  Plan plan;
  plan.choice = kernel;
  plan.compute_units = configs.device().compute_units;
  plan.multiply = configs.get(kernel.kernel, kernel.parameters, {});
  if (plan.multiply->manifest().role != Role::multiply) {
    throw Error(ErrorCode::kernel_not_found,
                fmt::format("'{}' ({}) does not multiply; it is one of clgemm's own helpers", kernel.kernel,
                            plan.multiply->file->path));
  }
  if (plan.multiply->is_direct()) {
    plan.multiply = configs.get(kernel.kernel, kernel.parameters, direct_macros(problem, *plan.multiply));
  }

  const KernelConfig& config = *plan.multiply;
  if (!config.manifest().otherwise.empty()) {
    plan.pack_both = configs.get("pack_both_" + config.manifest().operands, {}, {});
    const KernelConfig& otherwise = *configs.get(config.manifest().otherwise, {}, {});
    check_role(*plan.pack_both, Role::pack_both, config);
    check_role(otherwise, Role::otherwise, config);
    plan.otherwise = configs.get(config.manifest().otherwise, {}, direct_macros(problem, otherwise));
  } else {
    if (!fits_in_place(problem.a, config, {problem.m, problem.k}, {config.tile_rows, config.tile_depth})) {
      plan.a.pack = pack_config(problem.a, config, configs);
    }
    if (!fits_in_place(problem.b, config, {problem.k, problem.n}, {config.tile_depth, config.tile_columns})) {
      plan.b.pack = pack_config(problem.b, config, configs);
    }
  }
  plan.wanted_parts = wanted_parts(config, configs.device());
  fit_blocks(plan, problem, scratch_limit);
  if (plan.split.parts == 1) return plan;
  plan.split.reduce = reduce_config(config, plan.split.parts, configs);
  if (plan.split.reduce) return plan;
  plan.wanted_parts = 1;
  fit_blocks(plan, problem, scratch_limit);
  return plan;
}

std::string describe(const Plan& plan, const Problem& stated) {
  const Problem problem = seen_by(plan.choice, stated);
  const KernelConfig& kernel = *plan.multiply;
  std::string result =
      fmt::format("kernel: {} {} ({})\n", kernel.name, describe_values(kernel.values), kernel.file->path);
  result += fmt::format("chosen: {}\n", plan.choice.reason);
  if (plan.choice.mirrored) result += "mirrored: C^T = op(B)^T op(A)^T, and below A is B^T and B is A^T\n";
  if (plan.pack_both) {
    result += fmt::format("op(A), op(B): packed by {}\n", plan.pack_both->manifest().name);
  } else {
    result += describe_operand("op(A)", plan.a, kernel);
    result += describe_operand("op(B)", plan.b, kernel);
  }
  if (!kernel.is_direct())
    result += fmt::format("pads: m {} to {}, n {} to {}, k {} to {}\n", problem.m,
                          round_up(problem.m, kernel.tile_rows), problem.n,
                          round_up(problem.n, kernel.tile_columns), problem.k,
                          round_up(problem.k, kernel.tile_depth));
  const auto blocks = [](std::size_t size, std::size_t block) { return (size + block - 1) / block; };
  result += fmt::format("blocks: {} of at most {} x {} x {}, {} of {} of the batch at a time\n",
                        blocks(problem.m, plan.block_m) * blocks(problem.n, plan.block_n) *
                            blocks(problem.k, plan.block_k) * blocks(problem.batch_count, plan.block_batch),
                        plan.block_m, plan.block_n, plan.block_k, plan.block_batch, problem.batch_count);
  if (plan.otherwise) {
    result += fmt::format("otherwise: {}, where the device finds numbers that the packed form cannot hold\n",
                          plan.otherwise->name);
  }
  if (kernel.manifest().takes_shares()) {
    result += fmt::format("shares: {} x {} a work-group\n", plan.group_rows, plan.group_columns);
  }
  if (plan.split.reduce) {
    result += fmt::format("split of k: {} parts of at most {}, added up by {}\n", plan.split.parts,
                          plan.split.depth, plan.split.reduce->manifest().name);
  }
  result += fmt::format("scratch: {} bytes\n", plan.scratch_bytes);
  return result;
}

}  // namespace clgemm
