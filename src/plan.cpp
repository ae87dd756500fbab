#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "error.hpp"

namespace clgemm {
namespace {

// Up to this many multiply-adds, a launch costs more than the work, and packing would be two more launches.
constexpr double small_problem = 64.0 * 64.0 * 64.0;

// The pad between the packed copies, in elements: a whole cache line on every device we know.
constexpr std::size_t scratch_alignment = 64;

// The kernels of the ladder by their measured speed on each kind of device (README, Results).
const char* const gpu_reason = "by rule: the ladder's fastest on GPUs";
const char* const cpu_reason = "by rule: the ladder's fastest on CPUs";
const char* const small_reason = "by rule: small, so one launch without packing";
const std::vector<Candidate> gpu_candidates = {
    {"block_1d_256", {}, gpu_reason}, {"wpt", {}, gpu_reason}, {"coalesced", {}, gpu_reason}};
const std::vector<Candidate> cpu_candidates = {{"float8", {}, cpu_reason}, {"coalesced", {}, cpu_reason}};
const std::vector<Candidate> small_candidates = {{"coalesced", {}, small_reason}};

Candidate anywhere() {
  return {"coalesced", {{"ROWS", 1}, {"COLUMNS", 1}}, "by rule: the one that needs nothing of a device"};
}

// Configs of block_2d, the fastest for large problems first: small tiles keep all compute units busy where
// large ones would be too few. Measured on an H200 (132 units), TFLOP/s at 512, 1024 and 2048:
//   128 x 128: 3.2, 13.0, 43.3;  64 x 128: 7.2, 32.0, 28.6;  64 x 64: 10.6, 31.6, 38.0;  32 x
//   64: 13.8, 26.0, 29.9
struct TileConfig {
  std::int64_t bm, bn, wm, wn;
};
constexpr TileConfig tile_configs[] = {
    {128, 128, 128, 32}, {64, 128, 64, 32}, {64, 64, 64, 16}, {32, 64, 32, 16}};

std::size_t tiles_of(const Problem& problem, const TileConfig& config) {
  const auto bm = static_cast<std::size_t>(config.bm);
  const auto bn = static_cast<std::size_t>(config.bn);
  return (problem.m + bm - 1) / bm * ((problem.n + bn - 1) / bn) * problem.batch_count;
}

// block_2d with the largest tiles that give nine of ten compute units work, then with smaller ones.
std::vector<Candidate> block_2d_candidates(const Problem& problem, const Device& device) {
  std::vector<Candidate> result;
  for (const TileConfig& config : tile_configs) {
    const bool is_smallest = &config == std::end(tile_configs) - 1;
    if (!is_smallest && tiles_of(problem, config) < device.compute_units * 9 / 10) continue;
    result.push_back({"block_2d",
                      {{"BM", config.bm}, {"BN", config.bn}, {"WM", config.wm}, {"WN", config.wn}},
                      "by rule: the ladder's fastest on GPUs, with the largest tiles that keep it busy"});
  }
  return result;
}

constexpr std::int64_t widths[] = {16, 8, 4};  // of the vectors that CPUs have, in floats

// The widest vector that the device calls its own; 4 where it has none.
std::int64_t vector_width(const Device& device) {
  const auto* width = std::find_if(std::begin(widths), std::end(widths) - 1, [&](std::int64_t candidate) {
    return static_cast<std::int64_t>(device.native_float_width) >= candidate;
  });
  return *width;
}

// For a C of one row or column.
std::vector<Candidate> matrix_vector_candidates(const Problem& problem, const Device& device) {
  if (problem.m != 1 && problem.n != 1) return {};
  const std::int64_t depth = device.local_bytes >= 64 * 1024 ? 4096 : 1024;
  return {{"matrix_vector",
           {{"WIDTH", vector_width(device)}, {"KC", depth}},
           "by rule: for CPUs, where C is a vector",
           problem.n != 1}};
}

// `panels` in the device's vectors, with panels of B in half of what the device calls local memory: a core's
// cache on CPUs. MR x NV vectors, those of a row of B and one of A fit the registers of the CPUs with such
// vectors (AVX-512, AVX2, SSE and NEON).
std::vector<Candidate> panels_candidates(const Device& device) {
  struct Block {
    std::int64_t mr, nv;
  };
  static const std::map<std::int64_t, Block> blocks = {{16, {9, 3}}, {8, {6, 2}}, {4, {5, 2}}};
  const std::int64_t width = vector_width(device);
  const Block& block = blocks.at(width);
  struct Cache {
    std::int64_t kc, nc;
  };
  constexpr Cache caches[] = {{256, 768}, {256, 384}, {256, 192}, {256, 96}, {128, 96}, {64, 96}};
  const auto* cache = std::find_if(std::begin(caches), std::end(caches) - 1, [&](const Cache& candidate) {
    return 2 * 4 * candidate.kc * (candidate.nc + 16) <= static_cast<std::int64_t>(device.local_bytes);
  });
  return {{"panels",
           {{"WIDTH", width}, {"MR", block.mr}, {"NV", block.nv}, {"KC", cache->kc}, {"NC", cache->nc}},
           "by rule: for CPUs, in the device's vectors and caches"}};
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
  return !operand.transposed && aligned && operand.stride % kernel.align == 0 &&
         shape.rows % tile.rows == 0 && shape.columns % tile.columns == 0;
}

SharedConfig pack_config(const Operand& operand, const KernelConfig& kernel, ConfigCache& configs) {
  const Parameters macros = {{"TRANSPOSE", operand.transposed ? 1 : 0}};
  return configs.get("pack_" + kernel.manifest().operands, {}, macros);
}

// A product of element counts; whatever is beyond any memory counts as 2^58, so that sums do not overflow.
std::size_t clamped_product(std::size_t x, std::size_t y) {
  constexpr std::size_t beyond_memory = std::size_t{1} << 58;
  std::size_t result = 0;
  return __builtin_mul_overflow(x, y, &result) ? beyond_memory : std::min(result, beyond_memory);
}

// Places the packed copies of one block in scratch and sums them up.
void lay_out_scratch(Plan& plan, const Problem& problem) {
  const KernelConfig& kernel = *plan.multiply;
  std::size_t elements = 0;
  const auto place = [&](OperandPlan& operand, const Operand& source, std::size_t rows, std::size_t columns) {
    if (!operand.pack) return;
    const std::size_t size = round_up(clamped_product(rows, columns), scratch_alignment);
    const bool one_for_all = source.stride == 0;
    operand.ld = columns;
    operand.stride = one_for_all ? 0 : size;
    operand.scratch_offset = elements;
    elements += one_for_all ? size : clamped_product(size, plan.block_batch);
  };
  const std::size_t depth = round_up(plan.block_k, kernel.tile_depth);
  place(plan.a, problem.a, round_up(plan.block_m, kernel.tile_rows), depth);
  place(plan.b, problem.b, depth, round_up(plan.block_n, kernel.tile_columns));
  plan.scratch_bytes = elements * sizeof(float);
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
  if (plan.a.pack) sides.push_back({&plan.block_m, kernel.tile_rows});
  if (plan.b.pack) sides.push_back({&plan.block_n, kernel.tile_columns});
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return *x.size > *y.size; });
  return std::any_of(sides.begin(), sides.end(), halve);
}

// Shares of a block for a kernel that takes any, so that all compute units are busy to the end. Costs are
// counted in elements of C a step of k. A work-group prepares its columns of B for all its rows, which costs
// as much as some rows more would, and itself costs something.
class Sharing {
 public:
  Sharing(const Plan& plan) : plan_(plan), kernel_(*plan.multiply) {}

  void choose(std::size_t& rows, std::size_t& columns) const {
    const std::size_t fewest = groups(plan_.block_n, largest(kernel_.tile_columns, kernel_.share_columns));
    const std::size_t most =
        std::min(groups(plan_.block_n, kernel_.share_columns), fewest + plan_.compute_units);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t across = fewest; across <= most; ++across) {
      const std::size_t share_columns = share(plan_.block_n, across, kernel_.share_columns);
      for (std::size_t round = 1; round <= most_rounds; ++round) {
        const std::size_t down =
            std::max(round * plan_.compute_units / (across * plan_.block_batch),
                     groups(plan_.block_m, largest(kernel_.tile_rows, kernel_.share_rows)));
        const std::size_t share_rows = share(plan_.block_m, down, kernel_.share_rows);
        const double cost = cost_of(share_rows, share_columns);
        if (cost >= best) continue;
        best = cost;
        rows = share_rows;
        columns = share_columns;
      }
    }
  }

 private:
  static constexpr std::size_t most_rounds = 4;
  static constexpr double rows_to_prepare = 12.0;
  static constexpr double columns_to_prepare = 4.0;
  static constexpr double group_cost = 65536.0;  // multiply-adds in the time that a work-group takes to begin

  static std::size_t groups(std::size_t size, std::size_t part) { return (size + part - 1) / part; }
  static std::size_t largest(std::size_t tile, std::size_t unit) { return tile / unit * unit; }
  static std::size_t share(std::size_t size, std::size_t count, std::size_t unit) {
    return round_up(groups(size, std::max<std::size_t>(count, 1)), unit);
  }

  // The last share to end begins, on average, when the others are half done.
  double cost_of(std::size_t rows, std::size_t columns) const {
    const std::size_t count =
        groups(plan_.block_m, rows) * groups(plan_.block_n, columns) * plan_.block_batch;
    const auto rounds = static_cast<double>(groups(count, plan_.compute_units));
    const double one =
        (static_cast<double>(rows) + rows_to_prepare) * (static_cast<double>(columns) + columns_to_prepare) +
        group_cost / static_cast<double>(plan_.block_k);
    return one * rounds;
  }

  const Plan& plan_;
  const KernelConfig& kernel_;
};

void divide_among_groups(Plan& plan) {
  const KernelConfig& kernel = *plan.multiply;
  plan.group_rows = kernel.tile_rows;
  plan.group_columns = kernel.tile_columns;
  if (kernel.manifest().takes_shares()) Sharing(plan).choose(plan.group_rows, plan.group_columns);
}

// The longest side of a block that the kernel's 32-bit counts and the device's count of work-groups allow.
std::size_t longest_side(const KernelConfig& kernel, GridAxis axis, std::size_t tile) {
  const auto& grid = kernel.manifest().grid;
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

std::vector<Candidate> candidates(const Problem& problem, const Device& device) {
  const double multiply_adds =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  std::vector<Candidate> result;
  const auto add = [&result](const std::vector<Candidate>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  if (device.kind == DeviceKind::cpu) {
    add(matrix_vector_candidates(problem, device));
    add(panels_candidates(device));
    add(cpu_candidates);
  } else if (multiply_adds <= small_problem) {
    add(small_candidates);
  } else {
    add(block_2d_candidates(problem, device));
    add(gpu_candidates);
  }
  result.push_back(anywhere());
  return result;
}

std::size_t default_scratch_limit(const Device& device) {
  return std::min(device.global_bytes / 4, device.max_allocation_bytes);
}

void fit_blocks(Plan& plan, const Problem& problem, std::size_t limit) {
  const KernelConfig& kernel = *plan.multiply;
  plan.block_m = std::min(problem.m, longest_side(kernel, GridAxis::rows, kernel.tile_rows));
  plan.block_n = std::min(problem.n, longest_side(kernel, GridAxis::columns, kernel.tile_columns));
  plan.block_k = std::min(problem.k, max_block / kernel.tile_depth * kernel.tile_depth);
  plan.block_batch = std::min(problem.batch_count, max_groups_beyond_first);
  for (lay_out_scratch(plan, problem); plan.scratch_bytes > limit; lay_out_scratch(plan, problem)) {
    if (cut_block(plan)) continue;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("the kernel '{}' needs {} bytes of scratch for its smallest block; the limit is {}",
                    plan.multiply->name, plan.scratch_bytes, limit));
  }
  divide_among_groups(plan);
}

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
    const Parameters macros = {{"TRANSPOSE_A", problem.a.transposed ? 1 : 0},
                               {"TRANSPOSE_B", problem.b.transposed ? 1 : 0}};
    plan.multiply = configs.get(kernel.kernel, kernel.parameters, macros);
  }

  const KernelConfig& config = *plan.multiply;
  if (!fits_in_place(problem.a, config, {problem.m, problem.k}, {config.tile_rows, config.tile_depth})) {
    plan.a.pack = pack_config(problem.a, config, configs);
  }
  if (!fits_in_place(problem.b, config, {problem.k, problem.n}, {config.tile_depth, config.tile_columns})) {
    plan.b.pack = pack_config(problem.b, config, configs);
  }
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
  result += describe_operand("op(A)", plan.a, kernel);
  result += describe_operand("op(B)", plan.b, kernel);
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
  if (kernel.manifest().takes_shares()) {
    result += fmt::format("shares: {} x {} a work-group\n", plan.group_rows, plan.group_columns);
  }
  result += fmt::format("scratch: {} bytes\n", plan.scratch_bytes);
  return result;
}

}  // namespace clgemm
