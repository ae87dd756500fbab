// Implements roofline_rows() of tuning.hpp. It is for kernels with `estimate` in their manifests, on GPUs on
// which clgemm-tune has not run. It uses the peak of the units on which they compute.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/device_facts.hpp"
#include "choose/tuning.hpp"

namespace clgemm {
namespace {

// Returns the peak of the kernel's units for each core and second, or 0 if the peak or the clock is unknown.
double peak_of(const KernelConfig& kernel, const Device& device, double multiply_adds) {
  if (kernel.products == 0) return multiply_adds;
  const double hertz = 1e6 * static_cast<double>(device.clock_mhz);
  const DeviceFacts facts = facts_of(device);
  switch (kernel.manifest().matrix_units) {
    case MatrixUnits::bits16:
      return hertz * facts.half_multiply_adds;
    case MatrixUnits::tf32:
      return hertz * facts.half_multiply_adds / 2.0;
    case MatrixUnits::fp32:
      return hertz * facts.matrix_multiply_adds;
  }
  return 0.0;
}

// Returns the fraction of the peak that a kernel reaches. These are guesses, as is the time in which a
// work-group begins and ends. With fp32 numbers on matrix units, rocBLAS reaches .84 on an MI210 (37.9 of
// 45.3 TFLOP/s at 8192). With fewer results, a work-item reads more for each result, from local memory or a
// cache, so it reaches less: .71 with 64 results, .68 with 32, .64 with 16. CDNA 3 and RDNA 4 compute with
// 16-bit numbers 8 times as fast. Three products of them read as much as one product of fp32 numbers, so
// reading counts 8 / 3 times as much: .50 with 128 results, .46 with 64, .37 with 16. The same
// fractions apply to TF32 numbers, which is a guess, too. With 64 results that is 24 TFLOP/s on an A100.
double part_of_peak(const KernelConfig& kernel) {
  const double side = std::sqrt(static_cast<double>(kernel.tile_rows * kernel.tile_columns) /
                                static_cast<double>(kernel.work_items()));
  const bool is_on_halves = kernel.products != 0 && kernel.manifest().matrix_units != MatrixUnits::fp32;
  const double of_large_tiles = is_on_halves ? 0.62 : 0.8;
  const double reading = is_on_halves ? 8.0 / 3.0 : 1.0;
  return of_large_tiles * side / (side + reading);
}
constexpr double begin_seconds = 5e-6;

// Returns how many sub-groups keep a core busy. On matrix units there are four, one for each unit. Sub-groups
// that wait for caches need four for each that can issue an instruction per clock, which is a guess.
double busy_sub_groups(const KernelConfig& kernel, const DeviceFacts& facts) {
  constexpr double at_a_time = 4.0;
  if (kernel.products != 0) return at_a_time;
  return std::max(1.0, at_a_time * facts.multiply_adds / static_cast<double>(facts.sub_group));
}

// Returns the time in which a work-group reads a step of k through its core's cache, or 0 if that cache is
// unknown. All loads count, even if another work-group of the core has read the same lines before.
double reading_seconds(const KernelConfig& kernel, const Device& device) {
  const double bytes = peaks_of(device).local_cache_bytes;
  if (kernel.products != 0 || bytes == 0.0) return 0.0;
  return sizeof(float) * static_cast<double>(kernel.tile_rows + kernel.tile_columns) / bytes;
}

ConfigRow row_of(Config config, const KernelConfig& kernel, const Device& device, double peak) {
  const DeviceFacts facts = facts_of(device);
  const double all = busy_sub_groups(kernel, facts);
  const double busy =
      std::min(static_cast<double>(kernel.work_items()) / static_cast<double>(facts.sub_group), all);
  const double elements = static_cast<double>(kernel.tile_rows) * static_cast<double>(kernel.tile_columns);
  const auto products = static_cast<double>(std::max<std::size_t>(kernel.products, 1));
  ConfigRow row{std::move(config), {}, 0.0, 0};
  row.speed.begin = begin_seconds;
  const double computing = elements * products / (part_of_peak(kernel) * peak);
  const double reading = reading_seconds(kernel, device);
  row.speed.share = std::max(computing, reading);
  row.speed.alone = std::max(computing * all / busy, reading);
  row.speed.residents = static_cast<std::size_t>(all / busy);
  return row;
}

}  // namespace

std::vector<ConfigRow> roofline_rows(ConfigCache& configs, double multiply_adds) {
  const Device& device = configs.device();
  std::vector<ConfigRow> result;
  for (Config& config : built_in_configs(&Manifest::estimated)) {
    try {
      const auto kernel = configs.get(config.kernel, config.parameters);
      const double peak = peak_of(*kernel, device, multiply_adds);
      if (!kernel->is_calibrated || peak == 0.0) continue;
      result.push_back(row_of(std::move(config), *kernel, device, peak));
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;  // otherwise the kernel does not exist or fit here
    }
  }
  return result;
}

}  // namespace clgemm
