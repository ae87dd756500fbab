#include "choose/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/device_facts.hpp"

namespace clgemm {
namespace {

bool lies_in_fours(const Operand& operand) {
  return operand.ld % 4 == 0 && operand.offset % 4 == 0 && operand.base_alignment % 4 == 0 &&
         operand.stride % 4 == 0;
}

// Returns whether the entry is for this problem. It was measured as one GEMM on matrices without gaps. A
// matrix of the problem must be readable four elements at a time if the measured one was.
bool is_of(const TunedEntry& entry, const Problem& problem) {
  if (!entry.space.empty() || problem.batch_count != 1) return false;
  if (entry.size != static_cast<const GemmSize&>(problem)) return false;
  if (entry.transpose_a != problem.a.transposed || entry.transpose_b != problem.b.transposed) return false;
  const std::size_t measured_a = entry.transpose_a ? entry.size.m : entry.size.k;
  const std::size_t measured_b = entry.transpose_b ? entry.size.k : entry.size.n;
  return (measured_a % 4 != 0 || lies_in_fours(problem.a)) &&
         (measured_b % 4 != 0 || lies_in_fours(problem.b));
}

// Returns the largest ratio of the sides of two sizes, as a power of two.
double distance(const GemmSize& x, const GemmSize& y) {
  const auto apart = [](std::size_t one, std::size_t other) {
    return std::abs(std::log2(static_cast<double>(one)) - std::log2(static_cast<double>(other)));
  };
  return std::max({apart(x.m, y.m), apart(x.n, y.n), apart(x.k, y.k)});
}

}  // namespace

double TunedEntry::gflops() const {
  return 2e-9 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k) /
         seconds;
}

TunedDevice tuned_device(const Device& device) {
  return {device.name,           device.vendor,    device.platform_name,
          device.driver_version, device.kind,      device.native_float_width,
          device.compute_units,  device.clock_mhz, device.nvidia_sm};
}

std::string entry_key(const TunedEntry& entry) {
  return fmt::format("{:8} {:8} {:8} {}{} {}", entry.size.m, entry.size.n, entry.size.k,
                     entry.transpose_a ? 't' : 'n', entry.transpose_b ? 't' : 'n', entry.space);
}

Kinship kinship(const TunedDevice& measured, const Device& device) {
  if (measured.name == device.name && measured.platform == device.platform_name) return Kinship::same;
  const bool is_cpu = device.kind == DeviceKind::cpu;
  if ((measured.kind == DeviceKind::cpu) != is_cpu) return Kinship::none;
  const bool one_maker =
      is_cpu ? measured.platform == device.platform_name : measured.vendor == device.vendor;
  const bool is_family = one_maker && measured.kind == device.kind && device.kind != DeviceKind::other &&
                         measured.vector_width == device.native_float_width;
  return is_family ? Kinship::family : Kinship::stranger;
}

std::vector<TunedMatch> Tuning::measured(const Problem& problem, const Device& device) const {
  std::vector<TunedMatch> result;
  for (const TuningFile& file : files_) {
    if (kinship(file.device, device) != Kinship::same) continue;
    for (const TunedEntry& entry : file.measured) {
      if (!is_of(entry, problem)) continue;
      result.push_back(
          {&entry,
           {Source::measured, fmt::format("{}, {} x {} x {}, {:.4g} GFLOPS there", file.path, entry.size.m,
                                          entry.size.n, entry.size.k, entry.gflops())}});
    }
  }
  return result;
}

namespace {

// Returns the measured device. If its clock is unknown, it uses that of the other device.
Device measured_device(const TunedDevice& tuned, const Device& other) {
  Device device;
  device.name = tuned.name;
  device.vendor = tuned.vendor;
  device.kind = tuned.kind;
  device.compute_units = tuned.compute_units;
  device.clock_mhz = tuned.clock_mhz == 0 ? other.clock_mhz : tuned.clock_mhz;
  device.nvidia_sm = tuned.nvidia_sm;
  return device;
}

// Returns multiply-adds in vectors. A probe counts the multiply-adds of the device's own vectors. The rows of
// a CPU use vectors of one width, which take as long on CPUs with wider ones, so the numbers of vectors are
// compared.
double vectors_of(double multiply_adds, DeviceKind kind, std::size_t width) {
  return kind == DeviceKind::cpu ? multiply_adds / static_cast<double>(std::max<std::size_t>(width, 1))
                                 : multiply_adds;
}

// Returns what a probe would measure on the file's device, or a value close to it; nullopt if that is
// unknown.
std::optional<DevicePeaks> peaks_there(const TunedDevice& tuned, const Device& as_device) {
  if (tuned.probed) return peaks_of(as_device, *tuned.probed);
  if (facts_of(as_device).is_guess) return std::nullopt;
  return peaks_of(as_device);
}

struct BothPeaks {
  DevicePeaks there, here;
};

// Returns both peaks from a probe if there is one for each device, or else both from facts.
BothPeaks peaks_of_both(const TunedDevice& tuned, const Device& device, const std::optional<Probed>& probed) {
  const Device as_device = measured_device(tuned, device);
  const std::optional<DevicePeaks> there = peaks_there(tuned, as_device);
  if (!probed || !there) return {peaks_of(as_device), peaks_of(device)};
  BothPeaks both{*there, peaks_of(device, *probed)};
  both.there.multiply_adds = vectors_of(both.there.multiply_adds, tuned.kind, tuned.vector_width);
  both.here.multiply_adds = vectors_of(both.here.multiply_adds, device.kind, device.native_float_width);
  return both;
}

SpeedTable table_of(const TuningFile& file, const Device& device, const std::optional<Probed>& probed) {
  SpeedTable table;
  table.file = &file;
  table.kin = kinship(file.device, device);
  table.is_of_architecture = device.nvidia_sm != 0 && file.device.nvidia_sm == device.nvidia_sm;
  table.rates = *file.rates;
  double& multiply_adds = table.rates.multiply_adds;
  if (multiply_adds == 0.0) multiply_adds = peaks_of(measured_device(file.device, device)).of_device();
  if (table.kin == Kinship::same) return table;
  const auto [there, here] = peaks_of_both(file.device, device, probed);
  multiply_adds *= here.of_device() / there.of_device();
  if (probed && probed->host) table.rates.host = *probed->host;
  table.slower = there.multiply_adds / here.multiply_adds;
  // The result of a probe is close to the peak, but not the peak. The facts of a known family are.
  if (device.kind == DeviceKind::gpu)
    table.most_multiply_adds =
        facts_of(device).is_guess ? here.multiply_adds : peaks_of(device).multiply_adds;
  // On the measured device each core has local memory of its own. On this device local memory is in a cache
  // that all cores share, so copied floats are written to that cache and read back while work-items wait at a
  // barrier.
  if (table.kin == Kinship::stranger && here.local_cache_bytes > 0.0 && there.local_cache_bytes == 0.0)
    table.local_float_seconds = 2.0 * sizeof(float) / here.local_cache_bytes;
  const double larger = here.bytes / there.bytes;
  table.rates.bytes *= larger;
  table.rates.packing_bytes *= larger;
  table.rates.adding_bytes *= larger;
  return table;
}

}  // namespace

bool gain_by_probe(const SpeedTable& table, DeviceKind kind) {
  if (table.file == nullptr || table.kin == Kinship::same || kind == DeviceKind::other) return false;
  return peaks_there(table.file->device, measured_device(table.file->device, {})).has_value();
}

std::vector<SpeedTable> Tuning::tables(const Device& device) const {
  std::vector<SpeedTable> result;
  for (const TuningFile& file : files_) {
    if (file.rates && kinship(file.device, device) != Kinship::none)
      result.push_back(table_of(file, device, probed_));
  }
  // Strangers with vectors of a similar width are nearer, because blocks of C are made for the registers.
  const auto likeness = [&device](const SpeedTable& table) {
    const auto [less, more] = std::minmax(table.file->device.vector_width, device.native_float_width);
    return static_cast<double>(less) / static_cast<double>(more);
  };
  std::stable_sort(result.begin(), result.end(), [&](const SpeedTable& x, const SpeedTable& y) {
    return std::pair(x.kin, likeness(x)) > std::pair(y.kin, likeness(y));
  });
  return result;
}

const TunedEntry* Tuning::of_space(const std::string& space, const GemmSize& size,
                                   const Device& device) const {
  for (const Kinship wanted : {Kinship::same, Kinship::family}) {
    const TunedEntry* best = nullptr;
    for (const TuningFile& file : files_) {
      if (kinship(file.device, device) != wanted) continue;
      for (const TunedEntry& entry : file.measured) {
        if (entry.space != space) continue;
        if (best == nullptr || distance(entry.size, size) < distance(best->size, size)) best = &entry;
      }
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace clgemm
