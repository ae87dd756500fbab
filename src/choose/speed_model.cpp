#include "choose/speed_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/sizes.hpp"
#include "choose/batches.hpp"
#include "choose/group_times.hpp"

namespace clgemm {
namespace {

// The part of the device's peak that kernels come to where there is plenty of work: measured at 4096 on an
// H200 (of 66.9 TFLOP/s), and on a 2-core AVX-512 CPU through PoCL (of 400 GFLOP/s). Good enough to rank
// kernels; where a config was tuned, its measured time corrects them.
struct KernelSpeed {
  std::string_view kernel;
  double on_gpus;
  double on_cpus;
};
constexpr std::array speeds = {
    KernelSpeed{"block_2d", 0.70, 0.09},    KernelSpeed{"direct", 0.66, 0.03},
    KernelSpeed{"thin_rows", 0.30, 0.02},   KernelSpeed{"thin_columns", 0.30, 0.02},
    KernelSpeed{"wpt", 0.19, 0.03},         KernelSpeed{"float4", 0.18, 0.035},
    KernelSpeed{"float8", 0.165, 0.065},    KernelSpeed{"vector", 0.18, 0.035},
    KernelSpeed{"block_1d", 0.14, 0.007},   KernelSpeed{"block_1d_256", 0.14, 0.007},
    KernelSpeed{"coalesced", 0.085, 0.004}, KernelSpeed{"tiled", 0.083, 0.008},
    KernelSpeed{"row_groups", 0.07, 0.004}, KernelSpeed{"naive", 0.015, 0.003},
    KernelSpeed{"panels", 0.02, 0.85},      KernelSpeed{"matrix_vector", 0.02, 0.5}};
// A kernel of the user's own: a guess that puts it among the slower ones, so that it must be named or tuned.
constexpr KernelSpeed unknown_speed{"", 0.1, 0.01};

// Kernels whose speed is that of their blocks in registers: 8 x 8 results a work-item is what was measured.
// The curve between is a guess: by it a block of 32 results has three quarters of the speed.
constexpr std::array blocked_kernels = {std::string_view("block_2d"), std::string_view("direct")};
constexpr double measured_block = 64.0;
constexpr double half_speed_block = 32.0;

// Rows and columns that a work-group on a CPU could compute in the time that it takes to prepare others, over
// all kernels that take shares. sharing.cpp, which divides one kernel's work, has its own. Set on an AVX-512
// CPU through PoCL; the figures were not kept.
constexpr double rows_to_prepare = 12.0;
constexpr double columns_to_prepare = 4.0;

// In the last turn compute units wait for each other, this part of a turn on average: guesses, the one for
// CPUs as in sharing.cpp.
constexpr double waiting_on_gpus = 0.1;
constexpr double waiting_on_cpus = 0.05;

double as_double(std::size_t value) {
  return static_cast<double>(value);
}

double parameter(const KernelConfig& kernel, const char* name, double absent) {
  const auto found = kernel.values.find(name);
  return found == kernel.values.end() ? absent : static_cast<double>(found->second);
}

double items_of(const KernelConfig& kernel) {
  double items = 1.0;
  for (const std::size_t size : kernel.local) items *= as_double(size);
  return items;
}

// Kernels on tensor cores, by their tile, the packing left out: measured on an H200 at 4096, those on bf16
// planes while A still came from local memory; of fp16x3_wgmma the smaller tiles at 700 x 650 x 1100, where
// each compute unit has one at most.
struct TensorSpeed {
  std::string_view kernel;
  std::size_t tile_rows;
  std::size_t tile_columns;
  double speed;
};
constexpr std::array tensor_speeds = {
    TensorSpeed{"fp16x3_mma", 128, 128, 1.72}, TensorSpeed{"bf16x6_mma", 128, 128, 1.07},
    TensorSpeed{"bf16x6_mma", 64, 128, 0.9}, TensorSpeed{"bf16x6_mma", 128, 64, 0.93}};

// Where they begin and end a tile, nothing is multiplied: set on an H200; the figures were not kept.
constexpr double tensor_tile_seconds = 4e-6;

const TensorSpeed* tensor_speed_of(const KernelConfig& kernel) {
  const auto* found = std::find_if(tensor_speeds.begin(), tensor_speeds.end(), [&](const TensorSpeed& one) {
    return one.kernel == kernel.name && one.tile_rows == kernel.tile_rows &&
           one.tile_columns == kernel.tile_columns;
  });
  return found == tensor_speeds.end() ? nullptr : found;
}

bool is_blocked(const KernelConfig& kernel) {
  return std::count(blocked_kernels.begin(), blocked_kernels.end(), std::string_view(kernel.name)) != 0;
}

// A work-item's results.
double block_of(const KernelConfig& kernel) {
  return as_double(kernel.tile_rows * kernel.tile_columns) / items_of(kernel) *
         parameter(kernel, "SLICES", 1.0);
}

// Of the peak of a compute unit that is full.
double efficiency(const KernelConfig& kernel, DeviceKind kind) {
  if (const TensorSpeed* tensor = tensor_speed_of(kernel)) return tensor->speed;
  const auto* found = std::find_if(speeds.begin(), speeds.end(),
                                   [&](const KernelSpeed& one) { return one.kernel == kernel.name; });
  const KernelSpeed& speed = found == speeds.end() ? unknown_speed : *found;
  const double base = kind == DeviceKind::cpu ? speed.on_cpus : speed.on_gpus;
  if (!is_blocked(kernel)) return base;
  const double block = block_of(kernel);
  const auto curve = [](double size) { return size / (size + half_speed_block); };
  return base * std::min(1.0, curve(block) / curve(measured_block));
}

// Work-groups with so many results a work-item go by turns of two a compute unit: one alone takes as long as
// two do (an H200 at 1536 and 3072, 128 x 128 by 128 work-items).
constexpr double large_block = 128.0;
constexpr double groups_a_turn = 2.0;

double in_turns(const KernelConfig& kernel, double load) {
  if (!is_blocked(kernel) || block_of(kernel) < large_block) return load;
  return std::ceil(load / groups_a_turn) * groups_a_turn;
}

// One launch of `groups` work-groups that go `depth` along k. Compute units hold several work-groups at a
// time; one alone is slower than its share where it has few work-items.
double launch_seconds(const Plan& plan, const Device& device, const DeviceRates& rates, double groups,
                      double depth) {
  if (const auto measured = turns_seconds(plan, device, groups, depth)) return *measured;
  const KernelConfig& kernel = plan.first().multiply();
  double rows = as_double(plan.first().group_rows);
  double columns = as_double(plan.first().group_columns);
  if (device.kind == DeviceKind::cpu && kernel.manifest().takes_shares()) {
    rows += rows_to_prepare;
    columns += columns_to_prepare;
  }
  const double one = 2.0 * rows * columns * depth / (rates.unit_flops * efficiency(kernel, device.kind)) +
                     (plan.first().has(ProgramRole::pack_both) ? tensor_tile_seconds : 0.0);
  const double waiting = device.kind == DeviceKind::cpu ? waiting_on_cpus : waiting_on_gpus;
  const double load = in_turns(kernel, groups / as_double(device.compute_units));
  const double alone = std::max(1.0, rates.items_to_fill / items_of(kernel));
  return one * (std::max(alone, load) + waiting * std::clamp(load - 1.0, 0.0, 1.0));
}

// The computing of one block. Where k is split, what is left after the whole parts is a launch of its own.
double compute_seconds(const Plan& plan, const Device& device, const DeviceRates& rates) {
  const Stage& stage = plan.first();
  const double groups =
      as_double(ceil_div(plan.block_m, stage.group_rows) * ceil_div(plan.block_n, stage.group_columns) *
                ceil_div(plan.block_batch, stage.multiply().matrices));
  if (device.kind == DeviceKind::gpu && plan.problem.batch_count > 1) {
    const double units = as_double(device.compute_units);
    // A work-group that has a unit for itself takes longer than its share of a full one: a guess.
    constexpr double alone = 2.0;
    const auto one = batch_group_seconds(plan, rates.unit_flops, rates.bytes / units);
    if (one) return *one * std::max(std::ceil(groups / units), alone);
  }
  const std::size_t k =
      round_up(plan.block_k, stage.multiply().reads_in_place() ? 1 : stage.multiply().tile_depth);
  if (stage.split.parts < 2) return launch_seconds(plan, device, rates, groups, as_double(k));
  const std::size_t whole = k / stage.split.depth;
  const std::size_t rest = k % stage.split.depth;
  double seconds =
      launch_seconds(plan, device, rates, groups * as_double(whole), as_double(stage.split.depth));
  if (rest != 0) seconds += rates.next_seconds + launch_seconds(plan, device, rates, groups, as_double(rest));
  return seconds;
}

// Writes the parts' results, reads them again and writes C, by launches of their own.
double adding_seconds(const Plan& plan, const DeviceRates& rates) {
  const std::size_t parts = plan.first().split.parts;
  if (parts < 2) return 0.0;
  const double elements = as_double(plan.block_m) * as_double(plan.block_n);
  return rates.next_seconds + 4.0 * elements * (2.0 * as_double(parts) + 1.0) / rates.bytes;
}

// Bytes of A, B and C of one block, each touched once.
double traffic_bytes(const Plan& plan) {
  const double batch = as_double(plan.block_batch);
  const double m = as_double(plan.block_m);
  const double n = as_double(plan.block_n);
  const double k = as_double(plan.block_k);
  return 4.0 * batch * (m * k + k * n + (plan.problem.beta == 0.0f ? 1.0 : 2.0) * m * n);
}

// Reads an operand and writes its padded copy.
double packing_seconds(double rows, double columns, double copies, const DeviceRates& rates) {
  return rates.next_seconds + 2.0 * 4.0 * rows * columns * copies / rates.bytes;
}

// Reads both operands and writes three planes of two bytes for each number (two planes take a sixth less: 319
// and 383 us at 8192); and a launch for each program of the chain, which most of them only pass on.
double packing_both_seconds(const Plan& plan, const DeviceRates& rates) {
  constexpr double part_of_rate = 0.75;  // a guess: reads and writes take turns
  const KernelConfig& kernel = plan.first().multiply();
  const double lines = as_double(round_up(plan.block_m, kernel.tile_rows)) +
                       as_double(round_up(plan.block_n, kernel.tile_columns));
  const double elements =
      lines * as_double(round_up(plan.block_k, kernel.tile_depth)) * as_double(plan.block_batch);
  double launches = 0.0;
  for_each_program(plan, [&launches](std::size_t, ProgramRole) { launches += 1.0; });
  return launches * rates.next_seconds + (4.0 + 6.0) * elements / (part_of_rate * rates.bytes);
}

}  // namespace

DeviceRates rates_of(const Device& device) {
  // Two floating-point operations for each multiply-add of each lane. GPUs are taken for an H200 by the unit:
  // 128 lanes, 31 GB/s (4.1 TB/s of 4.8 over 132 units), 5 us for a launch, 2 for the next. CPUs have two
  // vector units a core and, by guesses, 8 GB/s a core up to 16 cores, 20 us for a launch and 10 for the
  // next; a bare launch and finish through PoCL takes 33.
  const double clock = 1e6 * as_double(std::max<std::size_t>(device.clock_mhz, 1));
  const double units = as_double(device.compute_units);
  if (device.kind == DeviceKind::cpu) {
    const double lanes = 2.0 * as_double(std::max<std::size_t>(device.native_float_width, 4));
    return {2.0 * lanes * clock, 8e9 * std::min(units, 16.0), 20e-6, 10e-6, 1.0};
  }
  return {2.0 * 128.0 * clock, 31e9 * units, 5e-6, 2e-6, 256.0};
}

Prediction predict(const Plan& plan, const Device& device) {
  const Problem& problem = plan.problem;
  const Stage& stage = plan.first();
  const DeviceRates rates = rates_of(device);
  const double blocks_of_a = as_double(ceil_div(problem.m, plan.block_m) * ceil_div(problem.k, plan.block_k) *
                                       ceil_div(problem.batch_count, plan.block_batch));
  const double blocks = blocks_of_a * as_double(ceil_div(problem.n, plan.block_n));
  const double copies_a = stage.a.stride == 0 ? 1.0 : as_double(plan.block_batch);
  const double copies_b = stage.b.stride == 0 ? 1.0 : as_double(plan.block_batch);
  const double m = as_double(plan.block_m);
  const double n = as_double(plan.block_n);
  const double k = as_double(plan.block_k);
  Prediction result;
  result.multiply =
      blocks * (std::max(compute_seconds(plan, device, rates), traffic_bytes(plan) / rates.bytes) +
                adding_seconds(plan, rates));
  if (stage.has(ProgramRole::pack_a)) result.packing += blocks_of_a * packing_seconds(m, k, copies_a, rates);
  if (stage.has(ProgramRole::pack_b)) result.packing += blocks * packing_seconds(k, n, copies_b, rates);
  if (stage.has(ProgramRole::pack_both)) result.packing += blocks * packing_both_seconds(plan, rates);
  result.launches = rates.launch_seconds + (blocks - 1.0) * rates.next_seconds;
  return result;
}

}  // namespace clgemm
