// Implements SpeedTable of tuning.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "choose/tuning.hpp"
#include "plan/sharing.hpp"

namespace clgemm {
namespace {

// The time of a work-group of an unmeasured config for one element of C in a step of k. It makes such a
// config slower than measured ones. It is a guess: on an H200 the best config takes 5e-12.
constexpr double unknown_step = 1e-9;

double elements_of(const KernelConfig& kernel) {
  if (!kernel.manifest().takes_shares())
    return static_cast<double>(kernel.tile_rows) * static_cast<double>(kernel.tile_columns);
  return 1.0;
}

}  // namespace

const std::vector<ConfigRow>& SpeedTable::rows() const {
  static const auto& none = *new std::vector<ConfigRow>;
  return file == nullptr ? none : file->configs;
}

ConfigSpeed SpeedTable::speed_of(const ConfigRow& row, const KernelConfig& kernel) const {
  if (row.shapes == 0) return row.speed;
  ConfigSpeed speed = row.speed;
  speed.begin *= slower;
  speed.alone *= slower;
  speed.share *= slower;
  speed.part *= slower;
  if (most_multiply_adds > 0.0 && kernel.manifest().precision == Precision::fp32) {
    const double least = elements_of(kernel) * static_cast<double>(kernel.matrices) / most_multiply_adds;
    speed.alone = std::max(speed.alone, least);
    speed.share = std::max(speed.share, least);
  }
  const double copying = static_cast<double>(kernel.into_local) * local_float_seconds;
  speed.alone += copying;
  speed.share += copying;
  return speed;
}

ConfigSpeed SpeedTable::speed_of(const KernelConfig& kernel) const {
  const auto is_of_kernel = [&](const ConfigRow& row) {
    if (row.config.kernel != kernel.name) return false;
    return std::all_of(row.config.parameters.begin(), row.config.parameters.end(), [&](const auto& value) {
      const auto found = kernel.values.find(value.first);
      return found != kernel.values.end() && found->second == value.second;
    });
  };
  for (const std::vector<ConfigRow>* list : {&rows(), &unmeasured}) {
    const auto row = std::find_if(list->begin(), list->end(), is_of_kernel);
    if (row != list->end()) return speed_of(*row, kernel);
  }
  ConfigSpeed guess;
  guess.begin = 1e-6;
  guess.share = guess.alone = unknown_step * elements_of(kernel);
  return guess;
}

Origin SpeedTable::origin_of(const ConfigRow& row) const {
  if (row.shapes == 0)
    return {Source::fitted_elsewhere, "from the peak rate of this device; nothing was measured"};
  const char* const relation = kin == Kinship::same     ? "measured on this device"
                               : kin == Kinship::family ? "of the same family"
                                                        : "not related to this device";
  const Source elsewhere = is_of_architecture ? Source::fitted_on_architecture : Source::fitted_elsewhere;
  return {kin == Kinship::same ? Source::fitted_on_device : elsewhere,
          fmt::format("{}, {} shapes of '{}', {}", file->path, row.shapes, file->device.name, relation)};
}

}  // namespace clgemm
