// roofline_rows() of tuning.hpp: of kernels on matrix units (`estimate`, `products` and `matrix_units` in
// their manifests), on GPUs of an architecture whose peak is known but on which clgemm-tune has not run.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/device_facts.hpp"
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

// 0 if it is not known.
double peak_of(MatrixUnits units, const Device& device) {
  if (units == MatrixUnits::fp32) return facts_of(device).matrix_multiply_adds;
  const auto* peak = std::find_if(peaks.begin(), peaks.end(),
                                  [&](const Peak& one) { return one.nvidia_sm == device.nvidia_sm; });
  return peak == peaks.end() ? 0.0 : peak->multiply_adds;
}

// The part of the peak that the kernels come to: guesses, as is how long a work-group takes to begin and end.
// With fp32 numbers rocBLAS reaches .84 on an MI210 (37.9 of 45.3 TFLOP/s at 8192). A sub-group with fewer
// results reads more of local memory for each of them, so it comes to less: .71 with 64 results a work-item,
// .64 with 16.
double part_of_peak(const KernelConfig& kernel) {
  if (kernel.manifest().matrix_units != MatrixUnits::fp32) return 0.5;
  constexpr double of_large_tiles = 0.8;
  const double side = std::sqrt(static_cast<double>(kernel.tile_rows * kernel.tile_columns) /
                                static_cast<double>(kernel.work_items()));
  return of_large_tiles * side / (side + 1.0);
}
constexpr double begin_seconds = 5e-6;

// A sub-group has one of the four matrix units of a core.
constexpr double units_of_core = 4.0;

ConfigRow row_of(Config config, const KernelConfig& kernel, const Device& device) {
  const auto sub_group = static_cast<double>(facts_of(device).sub_group);
  const double busy = std::min(static_cast<double>(kernel.work_items()) / sub_group, units_of_core);
  const double elements = static_cast<double>(kernel.tile_rows) * static_cast<double>(kernel.tile_columns);
  const double peak =
      peak_of(kernel.manifest().matrix_units, device) * 1e6 * static_cast<double>(device.clock_mhz);
  ConfigRow row{std::move(config), {}, 0.0, 0};
  row.speed.begin = begin_seconds;
  row.speed.share = elements * static_cast<double>(kernel.products) / (part_of_peak(kernel) * peak);
  row.speed.alone = row.speed.share * units_of_core / busy;
  row.speed.residents = static_cast<std::size_t>(units_of_core / busy);
  return row;
}

}  // namespace

std::vector<ConfigRow> roofline_rows(ConfigCache& configs) {
  const Device& device = configs.device();
  std::vector<ConfigRow> result;
  if (device.clock_mhz == 0) return result;
  for (Config& config : built_in_configs(&Manifest::estimated)) {
    try {
      const auto kernel = configs.get(config.kernel, config.parameters);
      if (kernel->products == 0 || peak_of(kernel->manifest().matrix_units, device) == 0.0) continue;
      result.push_back(row_of(std::move(config), *kernel, device));
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;  // else the device or the user's folder has it not
    }
  }
  return result;
}

}  // namespace clgemm
