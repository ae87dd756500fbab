#include "choose/speed_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/sizes.hpp"
#include "plan/in_place.hpp"
#include "plan/k_split.hpp"
#include "plan/make_plan.hpp"

namespace clgemm {
namespace {

double as_double(std::size_t value) {
  return static_cast<double>(value);
}

constexpr double float_bytes = 4.0;
constexpr std::size_t fours = 4;  // elements that a GPU's kernel reads or writes at once

// Packs both, multiplies, and then the kernels that stand behind it, which mostly have nothing to do.
double launches_of_planes(const KernelConfig& kernel, ConfigCache& configs) {
  double launches = 2.0;
  SharedConfig behind;
  for (const KernelConfig* one = &kernel; !one->manifest().fallback.empty(); one = behind.get()) {
    behind = configs.get(one->manifest().fallback, one->fallback_values, {});
    launches += behind->manifest().role == Role::multiply ? 2.0 : 1.0;
  }
  return launches;
}

double copies_of(const Operand& operand, const Problem& problem) {
  return operand.stride == 0 ? 1.0 : as_double(problem.batch_count);
}

void add_packing(const Problem& seen, const KernelConfig& kernel, ConfigCache& configs, Work& work) {
  const std::size_t rows = round_up(seen.m, kernel.tile_rows);
  const std::size_t columns = round_up(seen.n, kernel.tile_columns);
  const std::size_t depth = round_up(seen.k, kernel.tile_depth);
  const auto add = [&](const Operand& operand, std::size_t read, std::size_t packed) {
    work.packed_bytes += float_bytes * (as_double(read) + as_double(packed)) * copies_of(operand, seen);
  };
  const std::size_t a = clamped_product(rows, depth);
  const std::size_t b = clamped_product(columns, depth);
  if (!kernel.manifest().fallback.empty()) {
    const SharedConfig pack = pack_both_config(kernel, configs);
    add(seen.a, a, packed_size(*pack, rows, depth));
    add(seen.b, b, packed_size(*pack, columns, depth));
    work.passes = 1.0;
    work.launches = launches_of_planes(kernel, configs);
    return;
  }
  const auto pad = [&](const Operand& operand, std::size_t padded, Shape shape, Shape tile) {
    if (fits_in_place(operand, kernel, shape, tile)) return;
    add(operand, padded, padded);
    work.launches += 1.0;
    work.passes += 1.0;
  };
  pad(seen.a, a, {seen.m, seen.k}, {kernel.tile_rows, kernel.tile_depth});
  pad(seen.b, b, {seen.k, seen.n}, {kernel.tile_depth, kernel.tile_columns});
}

// Small work-groups leave some of a GPU's compute unit idle: on an H200 three of 64 work-items take as long
// as four, for each of its four schedulers has one of the warps, or two. For other GPUs it is a guess.
double groups_abreast(const KernelConfig& kernel, DeviceKind kind) {
  constexpr std::size_t schedulers = 4;
  constexpr std::size_t warp = 32;
  if (kind == DeviceKind::cpu) return 1.0;
  const std::size_t items =
      std::accumulate(kernel.local.begin(), kernel.local.end(), std::size_t{1}, std::multiplies<>());
  return as_double(ceil_div(schedulers, ceil_div(items, warp)));
}

void add_groups(const Problem& seen, const KernelConfig& kernel, ConfigCache& configs, Work& work) {
  Share share{kernel.tile_rows, kernel.tile_columns};
  if (kernel.manifest().takes_shares()) {
    share = best_share({seen.m, seen.n, seen.k, seen.batch_count, kernel.tile_rows, kernel.tile_columns,
                        kernel.share_rows, kernel.share_columns},
                       configs.cores());
    work.share = share;
    if (seen.b.transposed && kernel.panel_depth != 0)
      work.pieces = as_double(std::min(share.columns, seen.n) * ceil_div(seen.k, kernel.panel_depth));
  }
  work.abreast = groups_abreast(kernel, configs.device().kind);
  work.groups = as_double(ceil_div(seen.m, share.rows) * ceil_div(seen.n, share.columns)) *
                as_double(ceil_div(seen.batch_count, kernel.matrices));
}

void add_parts(const Problem& seen, const KernelConfig& kernel, std::size_t parts, std::size_t units,
               Work& work) {
  const std::size_t k = walked_k(seen.k, kernel);
  work.depth = as_double(k);
  if (parts < 2) return;
  const std::size_t depth = depth_of_parts(k, parts, depth_unit(kernel));
  if (depth >= k) return;
  if (kernel.adds_parts) {
    work.whole_parts = as_double(ceil_div(k, depth));
    work.depth = as_double(depth);
    // All write their results together; then one work-group of each tile reads them alone, faster than its
    // share of the device.
    constexpr double alone = 3.0;  // a guess
    const double tile = as_double(kernel.tile_rows) * as_double(kernel.tile_columns);
    work.added_bytes = float_bytes * work.whole_parts *
                       (as_double(seen.m) * as_double(seen.n) + tile * as_double(units) / alone);
    work.passes += 1.0;
    return;
  }
  work.whole_parts = as_double(k / depth);
  work.depth = as_double(depth);
  work.rest = as_double(k % depth);
  work.launches += work.rest > 0.0 ? 2.0 : 1.0;
  work.passes += 1.0;
  work.added_bytes =
      float_bytes * as_double(seen.m) * as_double(seen.n) * (2.0 * as_double(ceil_div(k, depth)) + 1.0);
}

// Whether the rows of A that are read side by side begin in the same set of a core's first cache, which has
// room for 8 to 12 lines, and drive each other out (conflict misses).
bool do_rows_collide(const Problem& seen, const KernelConfig& kernel) {
  constexpr std::size_t apart = 1024;  // elements, or a multiple
  constexpr std::size_t room = 12;
  return !seen.a.transposed && seen.a.ld % apart == 0 && std::min(seen.m, kernel.rows_at_once) > room;
}

double unaligned_part(const Problem& seen, const KernelConfig& kernel) {
  if (!kernel.reads_in_place()) return 0.0;
  return (a_lies_in(fours, seen) ? 0.0 : 0.5) + (b_lies_in(fours, seen) ? 0.0 : 0.5);
}

// A kernel that stores several neighbours of C at once does so element by element if C's lines do not allow
// it, which counts as three times C's bytes (of two shapes on an H200). What other kernels lose if A and B do
// not lie in fours is in their `unaligned`.
double weight_of_c(const Problem& seen, const KernelConfig& kernel) {
  constexpr double by_elements = 3.0;
  return seen.n % kernel.stores == 0 && seen.c.ld % kernel.stores == 0 ? 1.0 : by_elements;
}

// One launch of so many work-groups. The last turn of all compute units, which is not full, goes by what the
// unit that has the most then has. Work-groups that began together end together, and the units where they end
// first take more of what is left than others: the less so the more turns have drawn them apart. By these,
// too, a work-group begins while others are at work.
double launch_seconds(double groups, double depth, const Work& work, const ConfigSpeed& speed,
                      const Rates& rates, double units) {
  // Both measured on Zen 4 with PoCL; for other CPUs they are guesses. 13 rows that collide took 1.18 to 1.25
  // times as long, 11 rows 1.04. Each piece begins at a line of memory of its own.
  constexpr double collision = 1.2;
  constexpr double piece_seconds = 18e-9;
  const double step = (work.share ? cost_of_share(*work.share, speed.prepare) : 1.0) *
                      std::pow(speed.unaligned, work.unaligned) * (work.rows_collide ? collision : 1.0);
  const auto steps = [&](double residents) {
    return depth * step * std::max(speed.alone, residents * speed.share);
  };
  const double begin = speed.begin + work.pieces * piece_seconds;
  const double load = groups / units;
  const auto residents = static_cast<double>(speed.residents);
  const double full = std::floor(load / residents);
  const double rest = load - full * residents;
  constexpr double nothing = 1e-9;
  if (rest <= nothing) return begin * (1.0 + rates.repeated * (full - 1.0)) + full * steps(residents);
  const double evenly = std::min(residents, std::ceil((rest - nothing) / work.abreast) * work.abreast);
  const double more = full > 0.0 ? rates.uneven / std::sqrt(full) * (residents - evenly) : 0.0;
  const double most = std::min(evenly + more, std::max(evenly, rest * units));  // no more than are left
  return begin * (1.0 + rates.repeated * full) + full * steps(residents) + steps(most);
}

// Numbers of parts of k to look at: those that make whole turns of all compute units, or a part of the first
// turn.
std::vector<std::size_t> parts_to_try(const Problem& seen, const KernelConfig& kernel,
                                      const ConfigCache& configs) {
  std::vector<std::size_t> result = {1};
  const bool can = can_split_k(kernel.manifest()) && seen.batch_count == 1 && !seen.listed &&
                   configs.device().kind != DeviceKind::cpu && !kernel.manifest().takes_shares();
  if (!can) return result;
  const std::size_t tiles = ceil_div(seen.m, kernel.tile_rows) * ceil_div(seen.n, kernel.tile_columns);
  for (const std::size_t quarters : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 32U}) {
    const std::size_t parts = std::min(quarters * configs.cores() / (4 * tiles), max_parts);
    if (parts > result.back() && seen.k / parts >= least_part_depth) result.push_back(parts);
  }
  return result;
}

}  // namespace

Work work_of(const Problem& seen, const KernelConfig& kernel, std::size_t parts, ConfigCache& configs) {
  Work work;
  work.unaligned = unaligned_part(seen, kernel);
  work.rows_collide = do_rows_collide(seen, kernel);
  add_groups(seen, kernel, configs, work);
  add_packing(seen, kernel, configs, work);
  add_parts(seen, kernel, parts, configs.cores(), work);
  const double m = as_double(seen.m);
  const double n = as_double(seen.n);
  const double k = as_double(seen.k);
  work.bytes = float_bytes * (copies_of(seen.a, seen) * m * k + copies_of(seen.b, seen) * k * n +
                              (seen.beta == 0.0f ? 1.0 : 2.0) * as_double(seen.batch_count) * m * n *
                                  weight_of_c(seen, kernel));
  return work;
}

bool is_faster(const Prediction& x, const Prediction& y) {
  return std::pair(x.seconds(), x.device()) < std::pair(y.seconds(), y.device());
}

Prediction predict(const Work& work, const ConfigSpeed& speed, const Rates& rates,
                   std::size_t compute_units) {
  const double units = as_double(compute_units);
  Prediction result;
  double computing = launch_seconds(work.groups * work.whole_parts, work.depth, work, speed, rates, units);
  if (work.rest > 0.0) computing += launch_seconds(work.groups, work.rest, work, speed, rates, units);
  const double moving = work.bytes / rates.bytes;
  result.multiply = std::max(computing, moving) + rates.unhidden * std::min(computing, moving);
  result.packing = work.packed_bytes / rates.packing_bytes;
  result.adding = work.added_bytes / rates.adding_bytes;
  result.launches = work.launches * rates.start_seconds + work.passes * rates.pass_seconds;
  result.host = rates.call_seconds + (work.launches - 1.0) * rates.launch_seconds;
  return result;
}

PartsOfK best_parts(const Problem& seen, const KernelConfig& kernel, const ConfigSpeed& speed,
                    const Rates& rates, ConfigCache& configs) {
  PartsOfK best;
  for (const std::size_t parts : parts_to_try(seen, kernel, configs)) {
    const Work work = work_of(seen, kernel, parts, configs);
    const Prediction prediction = predict(work, speed, rates, configs.cores());
    if (parts == 1 || is_faster(prediction, best.prediction)) best = {parts, prediction};
  }
  return best;
}

Prediction predict(const Plan& plan, const ConfigSpeed& speed, const Rates& rates, ConfigCache& configs) {
  Problem block = plan.problem;
  block.m = plan.block_m;
  block.n = plan.block_n;
  block.k = plan.block_k;
  block.batch_count = plan.block_batch;
  const double blocks = as_double(
      ceil_div(plan.problem.m, plan.block_m) * ceil_div(plan.problem.n, plan.block_n) *
      ceil_div(plan.problem.k, plan.block_k) * ceil_div(plan.problem.batch_count, plan.block_batch));
  const Work work = work_of(block, plan.first().multiply(), plan.first().split.parts, configs);
  Prediction one = predict(work, speed, rates, plan.compute_units);
  one.multiply *= blocks;
  one.packing *= blocks;
  one.adding *= blocks;
  one.launches *= blocks;
  one.host += (blocks - 1.0) * work.launches * rates.launch_seconds;
  return one;
}

}  // namespace clgemm
