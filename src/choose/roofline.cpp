// roofline_rows() of tuning.hpp: of kernels on tensor cores (`estimate` and `products` in their manifests),
// on NVIDIA GPUs of an architecture whose peak is known but on which clgemm-tune has not run.
#include <algorithm>
#include <array>
#include <utility>

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

// A sub-group has one of the four tensor cores of a unit.
constexpr double items_of_sub_group = 32.0;
constexpr double cores_of_unit = 4.0;

ConfigRow row_of(Config config, const KernelConfig& kernel, double multiply_adds_a_second) {
  const double cores = std::min(static_cast<double>(kernel.work_items()) / items_of_sub_group, cores_of_unit);
  const double elements = static_cast<double>(kernel.tile_rows) * static_cast<double>(kernel.tile_columns);
  ConfigRow row{std::move(config), {}, 0.0, 0};
  row.speed.begin = begin_seconds;
  row.speed.share = elements * static_cast<double>(kernel.products) / (part_of_peak * multiply_adds_a_second);
  row.speed.alone = row.speed.share * cores_of_unit / cores;
  row.speed.residents = static_cast<std::size_t>(cores_of_unit / cores);
  return row;
}

}  // namespace

std::vector<ConfigRow> roofline_rows(ConfigCache& configs) {
  const Device& device = configs.device();
  const auto* peak = std::find_if(peaks.begin(), peaks.end(),
                                  [&](const Peak& one) { return one.nvidia_sm == device.nvidia_sm; });
  if (peak == peaks.end() || device.clock_mhz == 0) return {};
  const double a_second = peak->multiply_adds * 1e6 * static_cast<double>(device.clock_mhz);
  std::vector<ConfigRow> result;
  for (Config& config : built_in_configs(&Manifest::estimated)) {
    try {
      const auto kernel = configs.get(config.kernel, config.parameters);
      if (kernel->products != 0) result.push_back(row_of(std::move(config), *kernel, a_second));
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;  // else the device or the user's folder has it not
    }
  }
  return result;
}

}  // namespace clgemm
