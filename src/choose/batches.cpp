#include "choose/batches.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/sizes.hpp"

namespace clgemm {
namespace {

// Microseconds of an H200's compute unit for a work-group: `begin`, and `step` for each of k. Fitted to 24 to
// 512 squares, 100 to 4000 of them, with lines of whole fours; what they give is within 10 % of what was
// measured, 20 % at 200 x 128.
struct BatchConfig {
  std::string_view kernel;
  std::int64_t rows, columns;  // of the tile
  Parameters parameters;
  double begin, step;
};

Parameters direct(std::int64_t rows, std::int64_t columns, std::int64_t tm, std::int64_t tn) {
  return {{"BM", rows}, {"BN", columns}, {"TM", tm}, {"TN", tn}, {"DEPTH", 8}, {"SLICES", 1}, {"COPIES", 2}};
}

Parameters block_2d(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t wn) {
  return {{"BM", rows}, {"BN", columns}, {"BK", depth}, {"WM", 64}, {"WN", wn}, {"GROUP", 8}};
}

const std::array<BatchConfig, 8>& batch_configs() {
  static const auto& configs = *new std::array<BatchConfig, 8>{{
      {"direct", 32, 32, direct(32, 32, 4, 4), 0.31, 0.0070},
      {"direct", 32, 64, direct(32, 64, 8, 4), 0.60, 0.0126},
      {"direct", 64, 32, direct(64, 32, 8, 4), 0.60, 0.0126},
      {"direct", 64, 64, direct(64, 64, 8, 4), 1.0, 0.0236},
      {"direct", 64, 128, direct(64, 128, 8, 8), 2.0, 0.0445},
      {"block_2d", 64, 64, block_2d(64, 64, 16, 16), 0.90, 0.0241},
      {"block_2d", 64, 128, block_2d(64, 128, 16, 32), 2.1, 0.0426},
      {"block_2d", 128, 128, block_2d(128, 128, 8, 32), 2.7, 0.0953},
  }};
  return configs;
}

constexpr double measured_unit_flops = 2.0 * 128.0 * 1.98e9;

// `small` reads, multiplies and writes without overlap, at this part of a compute unit's peak: within 15 % of
// what was measured with 16, 24, 32, 48 and 64 squares, 16 x 64 x 32 and 64 x 16 x 64.
constexpr double small_begin_seconds = 0.1e-6;
constexpr double small_part_of_peak = 0.6;

// Where an element at a time must be read: 33 x 17 x 65 beside what the figures above say. 10 x 10 x 10
// likewise.
constexpr double small_unaligned = 2.2;
constexpr double direct_unaligned = 1.25;

double slowed_by_alignment(const KernelConfig& kernel, double factor) {
  const auto aligned = kernel.macros.find("ALIGNED");
  return aligned != kernel.macros.end() && aligned->second == 0 ? factor : 1.0;
}

double small_seconds(const Plan& plan, double unit_flops, double unit_bytes) {
  const KernelConfig& kernel = plan.first().multiply();
  const auto rows = static_cast<double>(kernel.tile_rows);
  const auto columns = static_cast<double>(kernel.tile_columns);
  const auto k = static_cast<double>(plan.block_k);
  const double m = std::min(rows, static_cast<double>(plan.block_m));
  const double n = std::min(columns, static_cast<double>(plan.block_n));
  const double bytes = 4.0 * (m * k + k * n + m * n);
  const double one = bytes / unit_bytes + 2.0 * rows * columns * k / (small_part_of_peak * unit_flops);
  return (small_begin_seconds + static_cast<double>(kernel.matrices) * one) *
         slowed_by_alignment(kernel, small_unaligned);
}

// Tiles of `small`, along each side. Larger ones are slower than `direct`.
constexpr std::int64_t small_sides[] = {4, 8, 16, 24, 32, 48, 64};

std::int64_t small_side(std::size_t size) {
  const auto* side = std::find_if(std::begin(small_sides), std::end(small_sides) - 1,
                                  [size](std::int64_t one) { return static_cast<std::size_t>(one) >= size; });
  return *side;
}

constexpr std::int64_t small_block = 4;  // results of a work-item, each way

std::int64_t small_bytes(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return 4 * ((rows + 4) * (depth + 4) + (columns + 4) * (depth + 4));
}

// One tile for a whole matrix, and as many matrices as make about 128 work-items: on an H200 16 x 16 x 16
// does best with 8, 24 x 24 x 24 with 4, 32 and 48 with one. A depth of 16 is the best up to 24 a side, one
// of 32 above.
Candidate small_candidate(const Problem& problem, const Device& device) {
  constexpr std::int64_t most_matrices = 32;
  constexpr std::int64_t most_items = 144;
  const std::int64_t rows = small_side(problem.m);
  const std::int64_t columns = small_side(problem.n);
  const std::int64_t depth = problem.k <= 8 ? 8 : std::max(rows, columns) <= 24 ? 16 : 32;
  const std::int64_t items = rows / small_block * (columns / small_block);
  const std::int64_t most_bytes = static_cast<std::int64_t>(device.local_bytes);
  std::int64_t matrices = items >= 64 ? 1 : most_matrices;
  while (matrices > 1 &&
         (matrices * items > most_items || matrices * small_bytes(rows, columns, depth) > most_bytes)) {
    matrices /= 2;
  }
  return {{"small",
           {{"BM", rows},
            {"BN", columns},
            {"BK", depth},
            {"TM", small_block},
            {"TN", small_block},
            {"MATRICES", matrices}}},
          {Source::fitted_elsewhere, "for batches, a whole small matrix or several a work-group"},
          {}};
}

bool is_config_of(const BatchConfig& config, const KernelConfig& kernel) {
  return config.kernel == kernel.name &&
         std::all_of(config.parameters.begin(), config.parameters.end(),
                     [&kernel](const auto& value) { return kernel.values.at(value.first) == value.second; });
}

}  // namespace

std::vector<Candidate> batch_candidates(const Problem& problem, const Device& device) {
  std::vector<Candidate> result = {small_candidate(problem, device)};
  for (const BatchConfig& config : batch_configs()) {
    const bool is_wasteful = static_cast<std::size_t>(config.rows) >= 2 * problem.m ||
                             static_cast<std::size_t>(config.columns) >= 2 * problem.n;
    if (is_wasteful && config.rows + config.columns > 64) continue;
    result.push_back({{std::string(config.kernel), config.parameters},
                      {Source::fitted_elsewhere, "for batches, with the tiles that take the least time"},
                      {}});
  }
  return result;
}

namespace {

// Seconds of a compute unit for each work-group of the plan's first stage, where all units are full of them;
// a unit does so many operations and moves so many bytes a second.
std::optional<double> group_seconds(const Plan& plan, double unit_flops, double unit_bytes) {
  const KernelConfig& kernel = plan.first().multiply();
  if (kernel.name == "small") return small_seconds(plan, unit_flops, unit_bytes);
  const auto& configs = batch_configs();
  const auto* config = std::find_if(configs.begin(), configs.end(),
                                    [&kernel](const BatchConfig& one) { return is_config_of(one, kernel); });
  if (config == configs.end()) return std::nullopt;
  const double microseconds = config->begin + config->step * static_cast<double>(plan.block_k);
  return 1e-6 * microseconds * measured_unit_flops / unit_flops *
         slowed_by_alignment(kernel, direct_unaligned);
}

}  // namespace

std::optional<double> batch_seconds(const Plan& plan, const Device& device) {
  // A work-group that has a unit for itself takes longer than its share of a full one: a guess.
  constexpr double alone = 2.0;
  constexpr double unit_bytes = 31e9;  // 4.1 TB/s over 132 units
  const double unit_flops =
      2.0 * 128.0 * 1e6 * static_cast<double>(std::max<std::size_t>(device.clock_mhz, 1));
  const auto one = group_seconds(plan, unit_flops, unit_bytes);
  if (!one) return std::nullopt;
  const Stage& stage = plan.first();
  const double units = static_cast<double>(device.compute_units);
  const auto groups = static_cast<double>(ceil_div(plan.problem.m, stage.group_rows) *
                                          ceil_div(plan.problem.n, stage.group_columns) *
                                          ceil_div(plan.problem.batch_count, stage.multiply().matrices));
  const double elements = static_cast<double>(plan.problem.m) * static_cast<double>(plan.problem.k) +
                          static_cast<double>(plan.problem.k) * static_cast<double>(plan.problem.n) +
                          static_cast<double>(plan.problem.m) * static_cast<double>(plan.problem.n);
  const double traffic =
      4.0 * elements * static_cast<double>(plan.problem.batch_count) / (unit_bytes * units);
  return std::max(*one * std::max(groups / units, alone), traffic);
}

}  // namespace clgemm
