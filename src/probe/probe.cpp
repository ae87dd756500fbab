#include "probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "build/disk_cache.hpp"
#include "probe/rate_meter.hpp"
#include "probe_source.hpp"

namespace clgemm {
namespace {

constexpr double flops_of_multiply_add = 2.0;

bool is_possible(const Probed& probed) {
  const auto is_rate = [](double bytes) { return bytes >= 1e7 && bytes <= 1e15; };
  const HostRates host = probed.host.value_or(HostRates{});
  return probed.multiply_adds >= 1e8 && probed.multiply_adds <= 1e16 && is_rate(probed.bytes) &&
         is_rate(host.to_device) && is_rate(host.from_device) && is_rate(host.streamed) &&
         is_rate(host.copied);
}

// Returns everything on which the figures depend. The text of the kernels stands for the version of the
// probe.
std::string key_of(const Device& info) {
  return fmt::format("probe of device and link\n{}\n{}\n{}\n{}\n{} units, {} MHz\n{}", info.name,
                     info.driver_version, info.platform_name, info.platform_version, info.compute_units,
                     info.clock_mhz, probe_source);
}

std::optional<Probed> read_figures(const DiskCache::Entry& entry) {
  const std::string text(entry.binary.begin(), entry.binary.end());
  const char* at = text.data();
  const char* const end = at + text.size();
  std::vector<double> figures;
  while (at != end) {
    const auto [rest, status] = std::from_chars(at, end, figures.emplace_back());
    if (status != std::errc() || (rest != end && *rest != ' ')) return std::nullopt;
    at = rest == end ? end : rest + 1;
  }
  if (figures.size() != 2 && figures.size() != 6) return std::nullopt;
  Probed probed{figures[0], figures[1]};
  if (figures.size() == 6) probed.host = HostRates{figures[2], figures[3], figures[4], figures[5]};
  return is_possible(probed) ? std::optional(probed) : std::nullopt;
}

DiskCache::Entry written(const Probed& probed) {
  std::string text = fmt::format("{:.6g} {:.6g}", probed.multiply_adds, probed.bytes);
  if (const auto& host = probed.host)
    text += fmt::format(" {:.6g} {:.6g} {:.6g} {:.6g}", host->to_device, host->from_device, host->streamed,
                        host->copied);
  return {DiskCache::Trust::tested, {text.begin(), text.end()}, 0};
}

std::optional<Probed> known_figures(const DiskCache& disk, const std::string& key) {
  const auto entry = disk.load(key);
  return entry ? read_figures(*entry) : std::nullopt;
}

std::optional<Probed> load_or_measure(const cl::Context& context, const cl::Device& device,
                                      const Device& info) {
  const DiskCache disk = DiskCache::from_environment();
  const std::string key = key_of(info);
  if (const auto known = known_figures(disk, key)) return *known;
  // Two probes at the same time would disturb each other, and the second one usually finds the first one's
  // result in the cache.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (const auto known = known_figures(disk, key)) return *known;
  const auto start = std::chrono::steady_clock::now();
  const auto [probed, is_sure] = measure_device(context, device, info);
  log(LogLevel::info, fmt::format("probe of '{}': {}, in {:.0f} ms{}", info.name, to_string(probed),
                                  1e3 * seconds_since(start),
                                  is_sure ? ""
                                          : "; the device may have been busy, so the result is not used, and "
                                            "the next process measures again"));
  if (!is_sure) return std::nullopt;
  disk.store(key, written(probed));
  return probed;
}

}  // namespace

Measurement measure_device(const cl::Context& context, const cl::Device& device, const Device& info) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::size_t beyond_caches = std::clamp<std::size_t>(
      2 * device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>(), 64 * mebibyte, 256 * mebibyte);
  RateMeter meter(context, device, info);
  Probed probed;
  probed.multiply_adds = meter.multiply_adds();
  probed.bytes = meter.bytes_read(std::min(beyond_caches, info.global_bytes / 16));
  probed.host = meter.host();
  if (!is_possible(probed))
    throw Error(ErrorCode::internal_error, fmt::format("{} cannot be", to_string(probed)));
  return {probed, meter.agrees() && is_plausible(probed, info)};
}

std::optional<Probed> probe(const cl::Context& context, const cl::Device& device, const Device& info) {
  if (environment("CLGEMM_PROBE") == "0") return std::nullopt;
  try {
    return at_boundary([&] { return load_or_measure(context, device, info); });
  } catch (const Error& error) {
    log_once(LogLevel::info, fmt::format("the probe of '{}' failed: {}", info.name, error.what()));
    return std::nullopt;
  }
}

std::string to_string(const Probed& probed) {
  std::string text = fmt::format("{:.3g} GFLOP/s, {:.3g} GB/s",
                                 probed.multiply_adds * flops_of_multiply_add * 1e-9, probed.bytes * 1e-9);
  if (const auto& host = probed.host)
    text += fmt::format(", link {:.3g} GB/s to the device and {:.3g} GB/s from it", host->to_device * 1e-9,
                        host->from_device * 1e-9);
  return text;
}

}  // namespace clgemm
