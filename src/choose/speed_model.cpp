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
constexpr std::size_t fours = 4;  // elements that a kernel for GPUs reads or writes at once

double copies_of(const Operand& operand, const Problem& problem) {
  return operand.stride == 0 ? 1.0 : as_double(problem.batch_count);
}

// Small work-groups leave part of a GPU's compute unit idle. On an H200, three work-groups of 64 work-items
// take as long as four, because each of its four schedulers has one or two of the warps. For other GPUs this
// is a guess.
double groups_abreast(const KernelConfig& kernel, DeviceKind kind) {
  constexpr std::size_t schedulers = 4;
  constexpr std::size_t warp = 32;
  if (kind == DeviceKind::cpu) return 1.0;
  const std::size_t items =
      std::accumulate(kernel.local.begin(), kernel.local.end(), std::size_t{1}, std::multiplies<>());
  return as_double(ceil_div(schedulers, ceil_div(items, warp)));
}

// Returns whether the rows of A that are read side by side begin in the same set of a core's first-level
// cache. The set has room for 8 to 12 lines, so the rows evict each other (conflict misses).
bool do_rows_collide(const Problem& seen, const KernelConfig& kernel) {
  constexpr std::size_t apart = 1024;  // elements, or a multiple of this
  constexpr std::size_t room = 12;
  return !seen.a.transposed && seen.a.ld % apart == 0 && std::min(seen.m, kernel.rows_at_once) > room;
}

double unaligned_part(const Problem& seen, const KernelConfig& kernel) {
  return (kernel.reads_a_in_place() && !a_lies_in(fours, seen) ? 0.5 : 0.0) +
         (kernel.reads_b_in_place() && !b_lies_in(fours, seen) ? 0.5 : 0.0);
}

// If C's lines do not allow it, a kernel that stores several neighbours of C at once stores element by
// element. This counts as three times the bytes of C (from two shapes on an H200). The loss of other kernels,
// if A and B are not aligned to four elements, is in their `unaligned`.
double weight_of_c(const Problem& seen, const KernelConfig& kernel) {
  constexpr double by_elements = 3.0;
  return seen.n % kernel.stores == 0 && seen.c.ld % kernel.stores == 0 ? 1.0 : by_elements;
}

// Returns the time of one launch of so many work-groups. The time of the last, partial turn of the compute
// units depends on the unit with the most work-groups. Work-groups that began together end together, so the
// units that finish first take more of the remaining work-groups than others. After more turns, the units'
// times differ more, and this effect is smaller. For the same reason, a work-group begins while others are
// computing.
double launch_seconds(double groups, double depth, const Work& work, const ConfigSpeed& speed,
                      const Rates& rates, double units) {
  // Both were measured on Zen 4 with PoCL; for other CPUs they are guesses. 13 rows that collide took 1.18 to
  // 1.25 times as long, 11 rows 1.04 times. Each piece begins at a line of memory of its own.
  constexpr double collision = 1.2;
  constexpr double piece_seconds = 18e-9;
  const double step = (work.share ? cost_of_share(*work.share, speed.prepare) : work.tile_growth) *
                      (work.transposed_a ? speed.transposed_a : 1.0) *
                      (work.transposed_b ? speed.transposed_b : 1.0) *
                      std::pow(speed.unaligned, work.unaligned) * (work.rows_collide ? collision : 1.0);
  const double alone = speed.alone * (work.operand_bytes > rates.cached_bytes ? speed.uncached : 1.0);
  const auto steps = [&](double residents) {
    return depth * step * std::max(alone, residents * speed.share);
  };
  const double begin = speed.begin + work.pieces * piece_seconds;
  const double repeated = speed.repeated.value_or(rates.repeated);
  const double load = groups / units;
  const double residents = std::min(as_double(speed.residents), work.most_residents);
  const double full = std::floor(load / residents);
  const double rest = load - full * residents;
  constexpr double nothing = 1e-9;
  if (rest <= nothing) return begin * (1.0 + repeated * (full - 1.0)) + full * steps(residents);
  const double evenly = std::min(residents, std::ceil((rest - nothing) / work.abreast) * work.abreast);
  const double more = full > 0.0 ? rates.uneven / std::sqrt(full) * (residents - evenly) : 0.0;
  const double most = std::min(evenly + more, std::max(evenly, rest * units));  // no more than there are left
  return begin * (1.0 + repeated * full) + full * steps(residents) + steps(most);
}

void add_gemm(const Launch& launch, Work& work) {
  const bool is_rest = work.groups != 0.0;
  (is_rest ? work.rest_groups : work.groups) = as_double(launch.size.groups());
  (is_rest ? work.rest_depth : work.depth) = as_double(launch.depth);
  if (launch.slices == 1) return;
  // All work-groups write their results at the same time. Then one work-group of each tile adds them up.
  work.passes += 1.0;
  work.parts = as_double(launch.slices);
  work.added_bytes += float_bytes * work.parts * as_double(launch.m) * as_double(launch.n);
}

void add(const Launch& launch, Work& work) {
  work.launches += 1.0;
  if (launch.stage != 0) return;  // the fallbacks after a stage usually have nothing to do
  if (launch.role == ProgramRole::gemm) return add_gemm(launch, work);
  work.passes += 1.0;
  (launch.role == ProgramRole::reduce ? work.added_bytes : work.packed_bytes) += float_bytes * launch.moved;
}

// Returns the numbers of slices along k to try. They fill whole turns of all compute units, or a part of the
// first turn.
std::vector<std::size_t> slices_to_try(const Plan& plan, DeviceKind kind) {
  const Problem& problem = plan.problem;
  const KernelConfig& kernel = plan.first().gemm();
  const bool can = can_split_k(kernel.manifest()) && kernel.split_k == 0 && problem.batch_count == 1 &&
                   !problem.listed && kind != DeviceKind::cpu && !kernel.manifest().takes_shares();
  std::vector<std::size_t> result;
  if (!can) return result;
  const std::size_t tiles = ceil_div(problem.m, kernel.tile_rows) * ceil_div(problem.n, kernel.tile_columns);
  for (const std::size_t quarters : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 32U, 48U, 64U}) {
    const std::size_t slices = std::min(quarters * plan.compute_units / (4 * tiles), max_slices);
    if (slices > (result.empty() ? 1 : result.back()) && problem.k / slices >= least_slice_depth)
      result.push_back(slices);
  }
  return result;
}

}  // namespace

Work work_of(const Plan& plan, const Block& block, DeviceKind kind) {
  const Stage& first = plan.first();
  const KernelConfig& kernel = first.gemm();
  Problem seen = plan.problem;
  static_cast<GemmSize&>(seen) = block;
  seen.batch_count = block.batch_count;
  Work work;
  work.unaligned = unaligned_part(seen, kernel);
  work.tile_growth = kernel.tile_growth;
  work.transposed_a = seen.m > 1 && seen.a.transposed && kernel.reads_a_in_place();
  work.transposed_b = seen.n > 1 && seen.b.transposed && kernel.reads_b_in_place();
  work.rows_collide = do_rows_collide(seen, kernel);
  work.abreast = groups_abreast(kernel, kind);
  work.is_persistent = kernel.persistent != 0;
  if (work.is_persistent && kernel.manifest().is_for_small_k())
    work.most_residents = as_double(kernel.persistent * ceil_div(seen.n, kernel.tile_columns));
  if (kernel.manifest().takes_shares()) {
    work.share = Share{first.group_rows, first.group_columns};
    if (seen.b.transposed && kernel.panel_depth != 0)
      work.pieces = as_double(std::min(first.group_columns, seen.n) * ceil_div(seen.k, kernel.panel_depth));
  }
  for (const Launch& launch : launches_of(plan, block)) add(launch, work);
  if (kernel.manifest().is_for_small_k() && seen.k <= kernel.manifest().most_k)
    work.depth = as_double(round_up(seen.k, kernel.tile_depth));
  const double m = as_double(seen.m);
  const double n = as_double(seen.n);
  const double k = as_double(seen.k);
  work.operand_bytes = float_bytes * (copies_of(seen.a, seen) * m * k + copies_of(seen.b, seen) * k * n);
  work.bytes =
      work.operand_bytes + float_bytes * as_double(seen.batch_count) * m * n * weight_of_c(seen, kernel);
  return work;
}

bool is_faster(const Prediction& x, const Prediction& y) {
  return std::pair(x.seconds(), x.device()) < std::pair(y.seconds(), y.device());
}

Prediction predict(const Work& work, const ConfigSpeed& speed, const Rates& rates,
                   std::size_t compute_units) {
  const double units = as_double(compute_units);
  Prediction result;
  double computing = launch_seconds(work.groups, work.depth, work, speed, rates, units);
  if (work.rest_groups > 0.0)
    computing += launch_seconds(work.rest_groups, work.rest_depth, work, speed, rates, units);
  const double moving = work.bytes / rates.bytes;
  result.gemm = std::max(computing, moving) + rates.unhidden * std::min(computing, moving);
  result.packing = work.packed_bytes / rates.packing_bytes;
  result.adding = work.added_bytes / rates.adding_bytes + work.parts * speed.part;
  result.launches = work.launches * rates.start_seconds + work.passes * rates.pass_seconds;
  result.host = rates.call_seconds + (work.launches - 1.0) * rates.launch_seconds;
  return result;
}

Prediction predict(const Plan& plan, const ConfigSpeed& speed, const Rates& rates, DeviceKind kind) {
  // The cost of scratch, in launches. On an H200 (25 November 2026, two hosts), a call with one column took
  // 0.6 to 1.0 us longer if it used scratch. A launch takes 7.5 us by the rates that ship, so this is 1.0 us.
  constexpr double scratch = 0.13;
  Prediction all;
  all.host = rates.call_seconds - rates.launch_seconds;
  if (plan.scratch_bytes != 0) all.host += scratch * rates.launch_seconds;
  // All blocks count as full blocks. Those that begin a row of blocks are counted separately from those
  // behind them.
  const auto add = [&](std::size_t column, double count) {
    Block block = first_block(plan);
    block.column = column;
    const Work work = work_of(plan, block, kind);
    const Prediction one = predict(work, speed, rates, plan.compute_units);
    all.gemm += count * one.gemm;
    all.packing += count * one.packing;
    all.adding += count * one.adding;
    all.launches += count * one.launches;
    all.host += count * work.launches * rates.launch_seconds;
  };
  const Problem& problem = plan.problem;
  const double rows = as_double(ceil_div(problem.m, plan.block_m) * ceil_div(problem.k, plan.block_k) *
                                ceil_div(problem.batch_count, plan.block_batch));
  add(0, rows);
  if (plan.block_n < problem.n) add(plan.block_n, rows * as_double(ceil_div(problem.n, plan.block_n) - 1));
  return all;
}

Prediction split_in_best_slices(Plan& plan, const ConfigSpeed& speed, const Rates& rates,
                                ConfigCache& configs, std::size_t scratch_limit) {
  const DeviceKind kind = configs.device().kind;
  Prediction best = predict(plan, speed, rates, kind);
  std::size_t best_slices = 1;
  const std::vector<std::size_t> all = slices_to_try(plan, kind);
  for (const std::size_t slices : all) {
    split_k(plan, slices, configs, scratch_limit);
    const Prediction next = predict(plan, speed, rates, kind);
    if (plan.first().split.slices == 1 || !is_faster(next, best)) continue;
    best = next;
    best_slices = slices;
  }
  if (!all.empty() && all.back() != best_slices) split_k(plan, best_slices, configs, scratch_limit);
  return best;
}

}  // namespace clgemm
