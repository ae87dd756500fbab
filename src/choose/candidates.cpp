#include "choose/candidates.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/sizes.hpp"
#include "choose/shape_class.hpp"
#include "choose/tensor_cores.hpp"
#include "kernel/precision.hpp"
#include "plan/k_split.hpp"

namespace clgemm {
namespace {

// Up to this many multiply-adds, a launch costs more than the work, and packing would be two more launches.
// Set by that thought, not by a measurement of its own: predicted times rank what else there is.
constexpr double small_problem = 64.0 * 64.0 * 64.0;

Candidate by_rule(std::string kernel, Parameters parameters, const char* why, bool mirrored = false) {
  return {{std::move(kernel), std::move(parameters), mirrored}, {Source::rule, why}, {}};
}

// The kernels of the ladder by their measured speed on each kind of device (docs/results.md).
const char* const gpu_reason = "the ladder's fastest on GPUs";
const char* const cpu_reason = "the ladder's fastest on CPUs";
const auto& gpu_candidates =
    *new std::vector<Candidate>{by_rule("block_1d_256", {}, gpu_reason), by_rule("wpt", {}, gpu_reason),
                                by_rule("coalesced", {}, gpu_reason)};
const auto& cpu_candidates =
    *new std::vector<Candidate>{by_rule("float8", {}, cpu_reason), by_rule("coalesced", {}, cpu_reason)};
const auto& small_candidates =
    *new std::vector<Candidate>{by_rule("coalesced", {}, "small, so one launch without packing")};

Candidate anywhere() {
  return by_rule("coalesced", {{"ROWS", 1}, {"COLUMNS", 1}, {split_parameter, 1}},
                 "the one that needs nothing of a device");
}

std::size_t tiles_of(const Problem& problem, std::int64_t rows, std::int64_t columns) {
  const auto bm = static_cast<std::size_t>(rows);
  const auto bn = static_cast<std::size_t>(columns);
  return ceil_div(problem.m, bm) * ceil_div(problem.n, bn) * problem.batch_count;
}

// Nine of ten compute units have work: a guess. On an H200 tiles that are chosen by it took 1024 from 29.0
// to 32.0 TFLOP/s (64 x 128) and 512 from 9.9 to 13.8 (32 x 64).
bool keeps_busy(std::size_t work_groups, const Device& device) {
  return work_groups >= device.compute_units * 9 / 10;
}

// For few rows or columns: the other operand is read once, where it lies. On an H200 16 x 4096 x 4096 runs at
// 12.4 TFLOP/s, 4096 x 16 x 4096 at 13.1, and both at 3 in block_2d.
std::vector<Candidate> thin_candidates(const Problem& problem, const Device& device) {
  constexpr std::int64_t fewest = 4;  // that these kernels take at a time: one vector
  const std::size_t thin = std::min(problem.m, problem.n);
  if (thin > most_thin_lines) return {};
  std::int64_t lines = fewest;
  while (static_cast<std::size_t>(lines) < thin) lines *= 2;
  return {
      by_rule(problem.m <= problem.n ? "thin_rows" : "thin_columns",
              {{"THIN", lines}, {"ITEMS", lines == fewest && device.max_work_group_size >= 512 ? 512 : 256}},
              "so few rows or columns that memory is the limit")};
}

// Set on an H200, where what they choose runs as direct_candidates() says; what each of them gave was not
// kept.
struct DirectConfig {
  std::int64_t bm, bn, tm, tn, depth, slices, copies;
  double speed;        // of a compute unit, beside the first
  double split_speed;  // the same where k is split
};
constexpr DirectConfig direct_configs[] = {
    {64, 128, 8, 8, 8, 2, 2, 1.0, 0.9}, {64, 128, 8, 8, 8, 1, 2, 0.9, 1.1},
    {64, 64, 8, 8, 4, 4, 2, 0.88, 0.8}, {32, 64, 8, 4, 8, 2, 2, 0.85, 0.8},
    {32, 64, 8, 4, 8, 4, 2, 0.85, 0.8}, {16, 32, 4, 4, 8, 16, 1, 0.4, 0.4}};

std::size_t items_of(const DirectConfig& config) {
  return static_cast<std::size_t>(config.bm / config.tm * (config.bn / config.tn) * config.slices);
}

double multiply_adds_of(const DirectConfig& config, const Problem& problem, const Device& device) {
  TiledWork work;
  work.m = problem.m;
  work.n = problem.n;
  work.k = problem.k;
  work.batch_count = problem.batch_count;
  work.tile_rows = static_cast<std::size_t>(config.bm);
  work.tile_columns = static_cast<std::size_t>(config.bn);
  work.depth_unit = 4;
  work.group_items = items_of(config);
  work.speed = config.speed;
  const double unsplit = split_evenly(work, 1, device.compute_units).cost;
  work.speed = config.split_speed;
  const KSplit split = best_split(work, max_parts, device.compute_units);
  return split.parts == 1 ? unsplit : std::min(unsplit, split.cost);
}

// `direct`, up to two tiles of 64 x 128 a compute unit: no packing, the slices of a work-group share k, and
// so do work-groups, where there are few tiles. On an H200, TFLOP/s at 256, 512, 1024: 3.9, 16.4, 35.4;
// block_2d has 2.7, 13.6, 30.2.
std::vector<Candidate> direct_candidates(const Problem& problem, const Device& device) {
  const DirectConfig& largest = direct_configs[0];
  if (tiles_of(problem, largest.bm, largest.bn) >= 2 * device.compute_units) return {};
  const DirectConfig* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const DirectConfig& config : direct_configs) {
    if (items_of(config) > device.max_work_group_size) continue;
    const double time = multiply_adds_of(config, problem, device);
    if (time >= least) continue;
    least = time;
    best = &config;
  }
  if (best == nullptr) return {};
  std::vector<Candidate> result;
  const auto add = [&result](const DirectConfig& config, const char* reason) {
    result.push_back(by_rule("direct",
                             {{"BM", config.bm},
                              {"BN", config.bn},
                              {"TM", config.tm},
                              {"TN", config.tn},
                              {"DEPTH", config.depth},
                              {"SLICES", config.slices},
                              {"COPIES", config.copies}},
                             reason));
  };
  add(*best, "no packing, with the tiles and parts of k that take the least time");
  for (const DirectConfig& config : direct_configs) {
    if (&config != best && items_of(config) <= device.max_work_group_size) add(config, "no packing");
  }
  return result;
}

// From the largest tiles to the smallest. 64 x 128 and 32 x 64 were measured (see keeps_busy()), the others
// stand between and below.
struct BlockConfig {
  std::int64_t bm, bn, bk, wm, wn, group;
};
constexpr BlockConfig block_configs[] = {
    {64, 128, 16, 64, 32, 8}, {64, 64, 16, 64, 16, 8}, {32, 64, 16, 32, 16, 8}, {32, 32, 8, 32, 16, 8}};

// 16 x 8 results a work-item, for GPUs with registers for more than those 128: faster where work-groups make
// whole turns of two a compute unit.
constexpr BlockConfig large_block_config = {128, 128, 8, 128, 32, 16};

// `block_2d` with the largest tiles that keep the device busy, then with smaller ones. On an H200 the large
// block runs at 47.4, 36.7, 48.8 and 49.1 TFLOP/s at 2048, 3072, 4096 and 8192, the first of the others at
// 45.6, 46.3, 48.1 and 49.5.
std::vector<Candidate> block_2d_candidates(const Problem& problem, const Device& device) {
  std::vector<Candidate> result;
  const auto add = [&](const BlockConfig& config, const char* reason) {
    result.push_back(by_rule("block_2d",
                             {{"BM", config.bm},
                              {"BN", config.bn},
                              {"BK", config.bk},
                              {"WM", config.wm},
                              {"WN", config.wn},
                              {"GROUP", config.group}},
                             reason));
  };
  const auto is_busy = [&](const BlockConfig& config) {
    return keeps_busy(tiles_of(problem, config.bm, config.bn), device);
  };
  const char* const busy_reason = "the ladder's fastest on GPUs, with the largest tiles that keep it busy";
  if (device.nvidia_sm != 0 && is_busy(large_block_config)) add(large_block_config, busy_reason);
  for (const BlockConfig& config : block_configs) {
    if (is_busy(config)) add(config, busy_reason);
  }
  for (const BlockConfig& config : block_configs) {
    if (!is_busy(config)) add(config, "the ladder's fastest on GPUs");
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

// For a C of one row or column. The part of k that is read at a time takes a quarter of the cache at most;
// figures for other parts were not kept.
std::vector<Candidate> matrix_vector_candidates(const Problem& problem, const Device& device) {
  if (problem.m != 1 && problem.n != 1) return {};
  const std::int64_t depth = device.local_bytes >= 64 * 1024 ? 4096 : 1024;
  return {by_rule("matrix_vector", {{"WIDTH", vector_width(device)}, {"KC", depth}},
                  "for CPUs, where C is a vector", problem.n != 1)};
}

// What `panels` multiplies at a time in vectors of this width: MR x NV of them, those of a row of B and one
// of A fit the registers of the CPUs that have such vectors (AVX-512, AVX2, SSE and NEON).
struct PanelsBlock {
  std::int64_t width, mr, nv;
};
constexpr PanelsBlock panels_blocks[] = {{16, 6, 4}, {8, 6, 2}, {4, 5, 2}};

// The deeper, the fewer times C passes through the core: that counts more than the width. One core beside
// OpenBLAS on an AVX-512 CPU, of which 1 MiB of the 2 MiB cache were used: 256 x 384 0.98 at 1024, 512 x
// 256 1.03; told to compile for AVX2 and to use 512 KiB: 256 x 192 0.95, 512 x 128 0.99. Caches below 256 KiB
// were not timed.
struct PanelsCache {
  std::int64_t kc, nc;
};
constexpr PanelsCache panels_caches[] = {{512, 512}, {512, 384}, {512, 256}, {256, 384}, {512, 128},
                                         {256, 192}, {256, 128}, {128, 128}, {64, 64},   {32, 64}};

// Up to so many rows it takes longer to copy a B that is in no near cache than to multiply with it. Then what
// is copied at a time should come back from a near one, no row of a block should be idle, and long rows of
// panels are good for the copying. One core beside OpenBLAS at 16 x 2048 x 2048: AVX-512 0.89 before, 1.16
// with these; AVX2 0.80, 1.00; 32 x 2048 x 2048 on AVX-512 0.88, 1.11. Where B fits the cache it is no gain,
// and 7 % slower at 48 rows.
constexpr std::size_t few_rows = 32;
constexpr PanelsBlock few_rows_blocks[] = {{16, 4, 4}, {8, 4, 3}, {4, 5, 2}};
constexpr PanelsCache few_rows_caches[] = {{256, 192}, {128, 192}};

bool has_few_rows(const Problem& problem, const Device& device) {
  const double bytes_of_b = 4.0 * static_cast<double>(problem.k) * static_cast<double>(problem.n);
  return problem.m <= few_rows && bytes_of_b > static_cast<double>(device.local_bytes);
}

// The panels of B and, where A is transposed, the rows of A beside them take no more than five eighths of
// what the device calls local memory: a core's cache on CPUs, which A and C pass through, too. The kernel
// requires room for both in any case.
bool leaves_room(const PanelsCache& cache, std::int64_t mr, const Problem& problem, const Device& device) {
  const std::int64_t most = 4 * cache.kc * (cache.nc + 16 * mr);
  const std::int64_t used = problem.a.transposed ? most : 4 * cache.kc * cache.nc;
  const auto local_bytes = static_cast<std::int64_t>(device.local_bytes);
  return 8 * used <= 5 * local_bytes && most <= local_bytes;
}

// `panels` in the device's vectors and caches.
std::vector<Candidate> panels_candidates(const Problem& problem, const Device& device) {
  const std::int64_t width = vector_width(device);
  std::vector<Candidate> result;
  const auto add = [&](const auto& blocks, const auto& caches, const char* reason) {
    const auto* block = std::find_if(std::begin(blocks), std::end(blocks) - 1,
                                     [&](const PanelsBlock& candidate) { return candidate.width == width; });
    const auto* cache = std::find_if(std::begin(caches), std::end(caches), [&](const PanelsCache& candidate) {
      return leaves_room(candidate, block->mr, problem, device);
    });
    if (cache == std::end(caches)) return;
    result.push_back(by_rule(
        "panels",
        {{"WIDTH", width}, {"MR", block->mr}, {"NV", block->nv}, {"KC", cache->kc}, {"NC", cache->nc}},
        reason));
  };
  if (has_few_rows(problem, device))
    add(few_rows_blocks, few_rows_caches, "for CPUs, where few rows of C share a large B");
  add(panels_blocks, panels_caches, "for CPUs, in the device's vectors and caches");
  return result;
}

}  // namespace

bool leaves_room(const Config& config, const Problem& problem, const Device& device) {
  if (config.kernel != "panels") return true;
  const auto value = [&config](const char* name) {
    const auto found = config.parameters.find(name);
    return found == config.parameters.end() ? 0 : found->second;
  };
  return leaves_room({value("KC"), value("NC")}, value("MR"), problem, device);
}

std::vector<Candidate> candidates(const Problem& problem, const Device& device, Precision precision) {
  const double multiply_adds =
      static_cast<double>(problem.m) * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  std::vector<Candidate> result;
  const auto add = [&result](const std::vector<Candidate>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  if (device.kind == DeviceKind::cpu) {
    add(matrix_vector_candidates(problem, device));
    add(panels_candidates(problem, device));
    add(cpu_candidates);
  } else {
    if (multiply_adds <= small_problem) add(small_candidates);
    add(thin_candidates(problem, device));
    if (allows(precision, Precision::fp32_equivalent)) add(tensor_core_candidates(problem, device));
    add(direct_candidates(problem, device));
    add(block_2d_candidates(problem, device));
    add(gpu_candidates);
  }
  result.push_back(anywhere());
  return result;
}

}  // namespace clgemm
