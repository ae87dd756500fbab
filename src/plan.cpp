#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "error.hpp"

namespace clgemm {
namespace {

// Up to this many multiply-adds, a launch costs more than the work, and packing would be two more launches.
constexpr double small_problem = 64.0 * 64.0 * 64.0;

// The pad between the packed copies, in elements: a whole cache line on every device we know.
constexpr std::size_t scratch_alignment = 64;

// The kernels of the ladder by their measured speed on each kind of device, 1024 square (README, Results).
const std::vector<Candidate> gpu_candidates = {
    {"block_1d", {}}, {"block_1d_256", {}}, {"wpt", {}}, {"coalesced", {}}};
const std::vector<Candidate> cpu_candidates = {{"float8", {}}, {"coalesced", {}}};
const std::vector<Candidate> small_candidates = {{"coalesced", {}}};

Candidate anywhere() {
  return {"coalesced", {{"ROWS", 1}, {"COLUMNS", 1}}};
}

// op(X) as the multiply kernel sees it.
struct Shape {
  std::size_t rows;
  std::size_t columns;
};

bool fits_in_place(const Operand& operand, const KernelConfig& kernel, Shape shape, Shape tile) {
  if (kernel.is_direct()) return true;
  const bool aligned = operand.ld % kernel.align == 0 && operand.offset % kernel.align == 0 &&
                       operand.base_alignment % kernel.align == 0;
  return !operand.transposed && aligned && shape.rows % tile.rows == 0 && shape.columns % tile.columns == 0;
}

SharedConfig pack_config(const Operand& operand, const KernelConfig& kernel, ConfigCache& configs) {
  const Parameters macros = {{"TRANSPOSE", operand.transposed ? 1 : 0}};
  return configs.get("pack_" + kernel.manifest().operands, {}, macros);
}

// Places the packed copies of one block in scratch and sums them up.
void lay_out_scratch(Plan& plan) {
  const KernelConfig& kernel = *plan.multiply;
  std::size_t elements = 0;
  const auto place = [&elements](OperandPlan& operand, std::size_t rows, std::size_t columns) {
    if (!operand.pack) return;
    operand.ld = columns;
    operand.scratch_offset = elements;
    elements += round_up(rows * columns, scratch_alignment);
  };
  const std::size_t depth = round_up(plan.block_k, kernel.tile_depth);
  place(plan.a, round_up(plan.block_m, kernel.tile_rows), depth);
  place(plan.b, depth, round_up(plan.block_n, kernel.tile_columns));
  plan.scratch_bytes = elements * sizeof(float);
}

// Halves the longest side of what is packed, in whole tiles; false where only tiles are left.
bool cut_block(Plan& plan) {
  struct Side {
    std::size_t* size;
    std::size_t tile;
  };
  const KernelConfig& kernel = *plan.multiply;
  std::vector<Side> sides = {{&plan.block_k, kernel.tile_depth}};
  if (plan.a.pack) sides.push_back({&plan.block_m, kernel.tile_rows});
  if (plan.b.pack) sides.push_back({&plan.block_n, kernel.tile_columns});
  const Side longest = *std::max_element(sides.begin(), sides.end(),
                                         [](const Side& x, const Side& y) { return *x.size < *y.size; });
  const std::size_t half = round_up((*longest.size + 1) / 2, longest.tile);
  if (half >= *longest.size) return false;
  *longest.size = half;
  return true;
}

void fit_blocks(Plan& plan, std::size_t limit) {
  for (lay_out_scratch(plan); plan.scratch_bytes > limit; lay_out_scratch(plan)) {
    if (cut_block(plan)) continue;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("the kernel '{}' needs {} bytes of scratch for its smallest block; the limit is {}",
                    plan.multiply->name, plan.scratch_bytes, limit));
  }
}

}  // namespace

std::vector<Candidate> candidates(const Problem& problem, const Device& device) {
  const double multiply_adds =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  std::vector<Candidate> result = device.kind == DeviceKind::cpu ? cpu_candidates : gpu_candidates;
  if (multiply_adds <= small_problem) result = small_candidates;
  result.push_back(anywhere());
  return result;
}

Plan make_plan(const Problem& problem, const Candidate& kernel, const Device& device, ConfigCache& configs,
               std::size_t scratch_limit) {
  Parameters macros;
  const auto plain = configs.get(kernel.kernel, kernel.parameters, {});
  if (plain->manifest().role != Role::multiply) {
    throw Error(ErrorCode::kernel_not_found,
                fmt::format("'{}' ({}) does not multiply; it is one of clgemm's own helpers", kernel.kernel,
                            plain->file->path));
  }
  if (plain->is_direct()) {
    macros = {{"TRANSPOSE_A", problem.a.transposed ? 1 : 0}, {"TRANSPOSE_B", problem.b.transposed ? 1 : 0}};
  }

  Plan plan;
  plan.multiply = macros.empty() ? plain : configs.get(kernel.kernel, kernel.parameters, macros);
  const KernelConfig& config = *plan.multiply;
  if (!fits_in_place(problem.a, config, {problem.m, problem.k}, {config.tile_rows, config.tile_depth})) {
    plan.a.pack = pack_config(problem.a, config, configs);
  }
  if (!fits_in_place(problem.b, config, {problem.k, problem.n}, {config.tile_depth, config.tile_columns})) {
    plan.b.pack = pack_config(problem.b, config, configs);
  }
  plan.block_m = std::min(problem.m, max_block / config.tile_rows * config.tile_rows);
  plan.block_n = std::min(problem.n, max_block / config.tile_columns * config.tile_columns);
  plan.block_k = std::min(problem.k, max_block / config.tile_depth * config.tile_depth);
  const std::size_t limit = scratch_limit == 0 ? device.global_bytes / 4 : scratch_limit;
  fit_blocks(plan, std::min(limit, device.max_allocation_bytes));
  return plan;
}

}  // namespace clgemm
