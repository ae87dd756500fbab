#include "choose/group_times.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plan/plan.hpp"

namespace clgemm {
namespace {

struct GroupTimes {
  const char* kernel;
  Parameters parameters;
  double residents;  // work-groups that share a compute unit at a time
  double begin_us;   // and end
  double alone_ns;   // for each of k, where one has the unit for itself
  double share_ns;   // the same for each of several
  double unaligned;  // the part that is added where operands lie so that they are read float by float
};

// Fitted to 90 shapes on an H200 (sides 16 to 9400, log-uniform, 0.2 to 600 GFLOP, and some usual ones), each
// config with up to seven numbers of parts of k, by calls back to back and the host's clock: logarithms,
// least squares. What is left is 0.2 to 0.3; what is then chosen takes 1.16 times as long as the best of all,
// in the geometric mean. Never destroyed: a Context in a static destructor reads it.
const std::vector<GroupTimes>& hopper_times() {
  static const auto& times = *new std::vector<GroupTimes>{
      // clang-format off
      {"fp16x3_wgmma", {{"SLICES", 1}, {"STAGES", 6}, {"STEP", 2}, {"TILE_M", 128}, {"TILE_N", 128}}, 1, 11.17, 13.07, 11.44, 0.00},
      {"fp16x3_wgmma", {{"SLICES", 1}, {"STAGES", 8}, {"STEP", 2}, {"TILE_M", 128}, {"TILE_N", 64}}, 2, 12.67, 7.53, 8.21, 0.00},
      {"fp16x3_wgmma", {{"SLICES", 2}, {"STAGES", 8}, {"STEP", 2}, {"TILE_M", 64}, {"TILE_N", 64}}, 2, 8.96, 6.09, 5.93, 0.00},
      {"fp16x3_wgmma", {{"SLICES", 2}, {"STAGES", 8}, {"STEP", 2}, {"TILE_M", 64}, {"TILE_N", 128}}, 2, 14.23, 8.44, 8.90, 0.00},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 64}, {"TILE_Y", 32}}, 2, 2.15, 17.58, 10.42, 0.60},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 64}, {"TILE_Y", 64}}, 2, 3.26, 27.65, 10.45, 0.72},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 128}, {"TILE_Y", 32}}, 3, 7.72, 42.00, 17.44, 0.75},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 128}, {"TILE_Y", 64}}, 3, 10.31, 33.37, 21.75, 0.97},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 128}, {"TILE_Y", 128}}, 3, 16.53, 54.12, 31.76, 1.25},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 64}, {"TILE_Y", 32}}, 2, 2.12, 17.28, 10.15, 0.59},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 64}, {"TILE_Y", 64}}, 2, 3.17, 26.03, 12.99, 0.80},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 128}, {"TILE_Y", 32}}, 2, 4.91, 27.19, 19.31, 0.71},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 128}, {"TILE_Y", 64}}, 3, 10.59, 32.89, 22.87, 0.90},
      {"tf32x3_wgmma", {{"SLICES", 1}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 128}, {"TILE_Y", 128}}, 2, 12.38, 56.28, 30.38, 1.28},
      {"tf32x3_wgmma", {{"SLICES", 2}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 64}, {"TILE_Y", 32}}, 3, 6.86, 13.06, 11.13, 0.50},
      {"tf32x3_wgmma", {{"SLICES", 2}, {"STAGES", 3}, {"SWAP", 0}, {"TILE_X", 64}, {"TILE_Y", 64}}, 3, 8.77, 17.89, 14.91, 0.62},
      {"tf32x3_wgmma", {{"SLICES", 2}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 64}, {"TILE_Y", 32}}, 3, 6.59, 12.71, 11.17, 0.48},
      {"tf32x3_wgmma", {{"SLICES", 2}, {"STAGES", 3}, {"SWAP", 1}, {"TILE_X", 64}, {"TILE_Y", 64}}, 3, 8.88, 17.37, 14.52, 0.61},
      // clang-format on
  };
  return times;
}

// 1 where it is read float by float, 1/2 where by pairs.
double unaligned_part(const Operand& operand) {
  const std::size_t places = operand.ld | operand.offset | operand.stride | operand.base_alignment;
  return places % 4 == 0 ? 0.0 : places % 2 == 0 ? 0.5 : 1.0;
}

double unaligned_part(const Problem& problem, const KernelConfig& kernel) {
  const double a = unaligned_part(problem.a);
  const double b = unaligned_part(problem.b);
  return kernel.align > 1 ? std::ceil(std::max(a, b)) : (a + b) / 2;
}

}  // namespace

std::optional<double> turns_seconds(const Plan& plan, const Device& device, double groups, double depth) {
  constexpr int hopper = 90;
  if (device.nvidia_sm != hopper) return std::nullopt;
  const KernelConfig& kernel = plan.first().multiply();
  const auto is_of = [&kernel](const GroupTimes& one) {
    return kernel.name == one.kernel &&
           std::all_of(one.parameters.begin(), one.parameters.end(), [&kernel](const auto& parameter) {
             const auto found = kernel.values.find(parameter.first);
             return found != kernel.values.end() && found->second == parameter.second;
           });
  };
  const auto& all = hopper_times();
  const auto times = std::find_if(all.begin(), all.end(), is_of);
  if (times == all.end()) return std::nullopt;
  const double slower = 1.0 + times->unaligned * unaligned_part(plan.problem, kernel);
  const auto turn = [&](double residents) {
    return 1e-6 * times->begin_us +
           1e-9 * depth * slower * std::max(times->alone_ns, residents * times->share_ns);
  };
  const double load = groups / static_cast<double>(device.compute_units);
  const double full = std::floor(load / times->residents);
  const double rest = std::ceil(load - full * times->residents);
  return full * turn(times->residents) + (rest > 0.0 ? turn(rest) : 0.0);
}

}  // namespace clgemm
