#include "choose/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clgemm {
namespace {

// A side of the problem is at most twice, or half, that of what was measured: entries have a key for each
// power of two, so that the neighbours on both sides count.
constexpr double nearest = 1.0;

bool lies_in_fours(const Operand& operand) {
  return operand.ld % 4 == 0 && operand.offset % 4 == 0 && operand.base_alignment % 4 == 0 &&
         operand.stride % 4 == 0;
}

// How A and B lie in memory is as it was when the entry was measured, or does not matter.
bool serves(const TunedEntry& entry, const Problem& problem, DeviceKind kind) {
  if (!entry.space.empty()) return false;
  if (entry.transpose_a != problem.a.transposed || entry.transpose_b != problem.b.transposed) return false;
  if (entry.packs || kind == DeviceKind::cpu) return true;
  const std::size_t measured_a = entry.transpose_a ? entry.size.m : entry.size.k;
  const std::size_t measured_b = entry.transpose_b ? entry.size.k : entry.size.n;
  const bool measured_in_fours = measured_a % 4 == 0 && measured_b % 4 == 0;
  return !measured_in_fours || (lies_in_fours(problem.a) && lies_in_fours(problem.b));
}

Origin origin_of(const TunedEntry& entry, const TuningFile& file, Kinship kin) {
  const bool on_device = kin == Kinship::same;
  return {on_device ? Source::tuned_on_device : Source::tuned_on_family,
          fmt::format("{}, entry {} x {} x {} ({}), {:.4g} GFLOPS there, {}", file.path, entry.size.m,
                      entry.size.n, entry.size.k, to_string(shape_class(entry.size)), entry.gflops(),
                      on_device ? "measured on this device"
                                : fmt::format("measured on '{}', of its family", file.device.name))};
}

std::vector<TunedMatch> near_in(const TuningFile& file, const Problem& problem, const Device& device,
                                Kinship kin) {
  struct Near {
    double distance;
    const TunedEntry* entry;
  };
  std::vector<Near> found;
  const ShapeSize size{problem.m, problem.n, problem.k};
  for (const TunedEntry& entry : file.entries) {
    if (!serves(entry, problem, device.kind)) continue;
    const double apart = distance(entry.size, size);
    if (apart <= nearest) found.push_back({apart, &entry});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Near& x, const Near& y) { return x.distance < y.distance; });
  std::vector<TunedMatch> result;
  for (const Near& near : found)
    result.push_back({near.entry, origin_of(*near.entry, file, kin), near.distance});
  return result;
}

}  // namespace

double TunedEntry::gflops() const {
  return 2e-9 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k) /
         seconds;
}

TunedDevice tuned_device(const Device& device) {
  return {device.name,           device.vendor, device.platform_name,
          device.driver_version, device.kind,   device.native_float_width};
}

std::string entry_key(const TunedEntry& entry) {
  return fmt::format("{} {}{} {}", shape_key(entry.size), entry.transpose_a ? 't' : 'n',
                     entry.transpose_b ? 't' : 'n', entry.space);
}

Kinship kinship(const TunedDevice& measured, const Device& device) {
  if (measured.name == device.name && measured.platform == device.platform_name) return Kinship::same;
  const bool one_maker = device.kind == DeviceKind::cpu ? measured.platform == device.platform_name
                                                        : measured.vendor == device.vendor;
  const bool is_family = one_maker && measured.kind == device.kind && device.kind != DeviceKind::other &&
                         measured.vector_width == device.native_float_width;
  return is_family ? Kinship::family : Kinship::none;
}

std::vector<TunedMatch> Tuning::near(const Problem& problem, const Device& device) const {
  for (const Kinship wanted : {Kinship::same, Kinship::family}) {
    for (const TuningFile& file : files_) {
      if (kinship(file.device, device) != wanted) continue;
      auto found = near_in(file, problem, device, wanted);
      if (!found.empty()) return found;
    }
  }
  return {};
}

const TunedEntry* Tuning::of_space(const std::string& space, const ShapeSize& size,
                                   const Device& device) const {
  for (const Kinship wanted : {Kinship::same, Kinship::family}) {
    const TunedEntry* best = nullptr;
    for (const TuningFile& file : files_) {
      if (kinship(file.device, device) != wanted) continue;
      for (const TunedEntry& entry : file.entries) {
        if (entry.space != space) continue;
        if (best == nullptr || distance(entry.size, size) < distance(best->size, size)) best = &entry;
      }
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace clgemm
