// roofline_rows() of tuning.hpp: of kernels on tensor cores, on NVIDIA GPUs of an architecture whose peak is
// known but on which clgemm-tune has not run.
#include <algorithm>
#include <array>

#include "choose/tuning.hpp"

namespace clgemm {
namespace {

// Multiply-adds of 16-bit numbers with fp32 sums that a compute unit's tensor cores do a clock, by NVIDIA's
// data sheets: A100 312 TFLOP/s with 108 units at 1.41 GHz, RTX 3090 71 (82, 1.695), RTX 4090 165
// (128, 2.52). The workstation cards of sm_86 and sm_89 do twice as much as these, which report the same
// architecture.
struct Peak {
  std::size_t nvidia_sm;
  double multiply_adds;
};
constexpr std::array peaks = {Peak{80, 1024.0}, Peak{86, 256.0}, Peak{89, 256.0}};

// The part of the peak that the kernels come to: a guess, as is how long a work-group takes to begin and end.
constexpr double part_of_peak = 0.5;
constexpr double begin_seconds = 5e-6;

// A kernel, and the products that it makes of each.
struct TensorKernel {
  const char* name;
  double products;
};
constexpr std::array kernels = {TensorKernel{"fp16x3_mma", 3.0}, TensorKernel{"bf16x6_mma", 6.0}};

// A sub-group has one of the four tensor cores of a unit, and computes 64 x 64.
constexpr std::int64_t tile_of_sub_group = 64;
constexpr double cores_of_unit = 4.0;

ConfigRow row_of(const TensorKernel& kernel, std::int64_t tile, double multiply_adds_a_second) {
  const auto side = static_cast<double>(tile);
  const double sub_groups = side * side / static_cast<double>(tile_of_sub_group * tile_of_sub_group);
  ConfigRow row{{kernel.name, {{"TILE_M", tile}, {"TILE_N", tile}}}, {}, 0.0, 0};
  row.speed.begin = begin_seconds;
  row.speed.share = side * side * kernel.products / (part_of_peak * multiply_adds_a_second);
  row.speed.alone = row.speed.share * cores_of_unit / std::min(sub_groups, cores_of_unit);
  row.speed.residents = static_cast<std::size_t>(cores_of_unit / std::min(sub_groups, cores_of_unit));
  return row;
}

}  // namespace

std::vector<ConfigRow> roofline_rows(const Device& device) {
  const auto* peak = std::find_if(peaks.begin(), peaks.end(),
                                  [&](const Peak& one) { return one.nvidia_sm == device.nvidia_sm; });
  if (peak == peaks.end() || device.clock_mhz == 0) return {};
  const double a_second = peak->multiply_adds * 1e6 * static_cast<double>(device.clock_mhz);
  std::vector<ConfigRow> result;
  for (const TensorKernel& kernel : kernels) {
    for (const std::int64_t tile : {2 * tile_of_sub_group, tile_of_sub_group})
      result.push_back(row_of(kernel, tile, a_second));
  }
  return result;
}

}  // namespace clgemm
