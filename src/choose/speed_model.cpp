#include "choose/speed_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/sizes.hpp"
#include "plan/in_place.hpp"
#include "plan/k_split.hpp"

namespace clgemm {
namespace {

double as_double(std::size_t value) {
  return static_cast<double>(value);
}

// Bytes that a packed element takes: packing reads 4 and writes 4, or three planes of 2 bytes, for those on
// two planes stand before those on three.
constexpr double padded_bytes = 8.0;
constexpr double planes_bytes = 10.0;

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
  const double rows = as_double(round_up(seen.m, kernel.tile_rows));
  const double columns = as_double(round_up(seen.n, kernel.tile_columns));
  const double depth = as_double(round_up(seen.k, kernel.tile_depth));
  const double a = rows * depth * copies_of(seen.a, seen);
  const double b = columns * depth * copies_of(seen.b, seen);
  if (!kernel.manifest().fallback.empty()) {
    work.packed_bytes = planes_bytes * (a + b);
    work.launches = launches_of_planes(kernel, configs);
    return;
  }
  const auto packs = [&](const Operand& operand, Shape shape, Shape tile, double elements) {
    if (fits_in_place(operand, kernel, shape, tile)) return;
    work.packed_bytes += padded_bytes * elements;
    work.launches += 1.0;
  };
  packs(seen.a, {seen.m, seen.k}, {kernel.tile_rows, kernel.tile_depth}, a);
  packs(seen.b, {seen.k, seen.n}, {kernel.tile_depth, kernel.tile_columns}, b);
}

void add_groups(const Problem& seen, const KernelConfig& kernel, std::size_t units, Work& work) {
  Share share{kernel.tile_rows, kernel.tile_columns};
  if (kernel.manifest().takes_shares()) {
    share = best_share({seen.m, seen.n, seen.k, seen.batch_count, kernel.tile_rows, kernel.tile_columns,
                        kernel.share_rows, kernel.share_columns},
                       units);
    work.share = share;
  }
  work.groups = as_double(ceil_div(seen.m, share.rows) * ceil_div(seen.n, share.columns) *
                          ceil_div(seen.batch_count, kernel.matrices));
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
    work.added_bytes =
        4.0 * work.whole_parts * (as_double(seen.m) * as_double(seen.n) + tile * as_double(units) / alone);
    work.waits_for_parts = true;
    return;
  }
  work.whole_parts = as_double(k / depth);
  work.depth = as_double(depth);
  work.rest = as_double(k % depth);
  work.launches += work.rest > 0.0 ? 2.0 : 1.0;
  work.added_bytes =
      4.0 * as_double(seen.m) * as_double(seen.n) * (2.0 * as_double(ceil_div(k, depth)) + 1.0);
}

double unaligned_part(const Problem& seen, const KernelConfig& kernel) {
  constexpr std::size_t fours = 4;
  if (!kernel.reads_in_place()) return 0.0;
  return (a_lies_in(fours, seen) ? 0.0 : 0.5) + (b_lies_in(fours, seen) ? 0.0 : 0.5);
}

// One launch of so many work-groups. The last turn of all compute units, which is not full, goes by what each
// unit has then.
double launch_seconds(double groups, double depth, const Work& work, const ConfigSpeed& speed, double units) {
  const double step = (work.share ? cost_of_share(*work.share, speed.prepare) : 1.0) *
                      std::pow(speed.unaligned, work.unaligned);
  const auto turn = [&](double residents) {
    return speed.begin + depth * step * std::max(speed.alone, residents * speed.share);
  };
  const double load = groups / units;
  const auto residents = static_cast<double>(speed.residents);
  const double full = std::floor(load / residents);
  const double rest = load - full * residents;
  constexpr double nothing = 1e-9;
  return full * turn(residents) + (rest > nothing ? turn(std::ceil(rest - nothing)) : 0.0);
}

// Numbers of parts of k to look at: those that make whole turns of all compute units, or a part of the first
// turn.
std::vector<std::size_t> parts_to_try(const Problem& seen, const KernelConfig& kernel, const Device& device) {
  std::vector<std::size_t> result = {1};
  const bool can = can_split_k(kernel.manifest()) && seen.batch_count == 1 && !seen.listed &&
                   device.kind != DeviceKind::cpu && !kernel.manifest().takes_shares();
  if (!can) return result;
  const std::size_t tiles = ceil_div(seen.m, kernel.tile_rows) * ceil_div(seen.n, kernel.tile_columns);
  for (const std::size_t quarters : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 32U}) {
    const std::size_t parts = std::min(quarters * device.compute_units / (4 * tiles), max_parts);
    if (parts > result.back() && seen.k / parts >= least_part_depth) result.push_back(parts);
  }
  return result;
}

}  // namespace

Work work_of(const Problem& seen, const KernelConfig& kernel, std::size_t parts, ConfigCache& configs) {
  Work work;
  work.unaligned = unaligned_part(seen, kernel);
  add_groups(seen, kernel, configs.device().compute_units, work);
  add_packing(seen, kernel, configs, work);
  add_parts(seen, kernel, parts, configs.device().compute_units, work);
  const double m = as_double(seen.m);
  const double n = as_double(seen.n);
  const double k = as_double(seen.k);
  work.bytes = 4.0 * (copies_of(seen.a, seen) * m * k + copies_of(seen.b, seen) * k * n +
                      (seen.beta == 0.0f ? 1.0 : 2.0) * as_double(seen.batch_count) * m * n);
  return work;
}

Prediction predict(const Work& work, const ConfigSpeed& speed, const Rates& rates,
                   std::size_t compute_units) {
  const double units = as_double(compute_units);
  Prediction result;
  double computing = launch_seconds(work.groups * work.whole_parts, work.depth, work, speed, units);
  if (work.rest > 0.0) computing += launch_seconds(work.groups, work.rest, work, speed, units);
  const double moving = work.bytes / rates.bytes;
  result.multiply = std::max(computing, moving) + rates.unhidden * std::min(computing, moving);
  result.packing = work.packed_bytes / rates.packing_bytes;
  result.adding = work.added_bytes / rates.adding_bytes;
  result.launches = (work.launches + (work.waits_for_parts ? 1.0 : 0.0)) * rates.start_seconds;
  result.host = rates.call_seconds + (work.launches - 1.0) * rates.launch_seconds;
  return result;
}

PartsOfK best_parts(const Problem& seen, const KernelConfig& kernel, const ConfigSpeed& speed,
                    const Rates& rates, ConfigCache& configs) {
  PartsOfK best;
  for (const std::size_t parts : parts_to_try(seen, kernel, configs.device())) {
    const Work work = work_of(seen, kernel, parts, configs);
    const double seconds = predict(work, speed, rates, configs.device().compute_units).seconds();
    if (best.seconds != 0.0 && seconds >= best.seconds) continue;
    best = {parts, seconds};
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
