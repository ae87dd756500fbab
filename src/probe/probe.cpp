#include "probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "base/copy_lines.hpp"
#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/finished.hpp"
#include "base/log.hpp"
#include "base/mapped.hpp"
#include "build/disk_cache.hpp"
#include "probe_source.hpp"

namespace clgemm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double flops_of_multiply_add = 2.0;

// The part of the link's rate that is left if both directions and the copying threads are busy: 36 of 50 GB/s
// on an H200's host (November 2026).
constexpr double part_when_streamed = 0.72;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The work that keeps a device busy.
struct Load {
  std::size_t width;  // floats of a vector
  std::size_t chains;
  std::size_t group;             // work-items of a work-group
  std::size_t groups_of_a_unit;  // work-groups for each compute unit
  bool neighbours_together;      // in memory: those of work-items; otherwise those of steps
};

// On a CPU, a work-item has the vector units of a core for itself. Each core gets four groups, so that a core
// that is disturbed gets less of the work.
Load load_for(const Device& info) {
  if (info.kind == DeviceKind::cpu)
    return {std::clamp<std::size_t>(info.native_float_width, 4, 16), 12, 1, 4, false};
  return {4, 8, std::min<std::size_t>(256, info.max_work_group_size), 16, true};
}

// The best of a few short runs counts, because other work of the device only adds time. A run is long enough
// for the host's clock, and for a processor to reach its speed.
constexpr int runs = 5;
constexpr double run_seconds = 3e-3;
constexpr int most_launches = 64;
constexpr double all_seconds = 0.06;  // for the runs of one kernel, if they take longer

// The second best run may be slower than the best by this factor. If it is slower, something disturbs the
// runs.
constexpr double disagreement = 1.1;

// A running probe.
class Measuring {
 public:
  Measuring(const cl::Context& context, const cl::Device& device, const Device& info)
      : context_(context),
        device_(device),
        info_(info),
        load_(load_for(info)),
        items_(load_.group * load_.groups_of_a_unit * info.compute_units),
        queue_(context, device),
        program_(context, probe_source),
        results_(context, CL_MEM_READ_WRITE, items_ * vector_bytes()) {
    const cl_device_id id = device();
    const std::string options =
        fmt::format("-cl-mad-enable -DFLOATS=float{} -DCHAINS={}", load_.width, load_.chains);
    // Builds without OpenCL-CLHPP, which reads the compiler's log, too.
    if (const cl_int status = clBuildProgram(program_(), 1, &id, options.c_str(), nullptr, nullptr);
        status != CL_SUCCESS)
      throw cl::Error(status, "clBuildProgram");
  }
  ~Measuring() { settle(queue_); }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  double multiply_adds() {
    constexpr cl_int most_rounds = 1 << 26;
    cl::Kernel kernel(program_, "multiply_add");
    kernel.setArg(0, results_);
    kernel.setArg(2, 0.999f);
    kernel.setArg(3, 0.001f);
    const auto start = Clock::now();
    cl_int rounds = 256;
    const auto run = [&] {
      kernel.setArg(1, rounds);
      return run_once(kernel);
    };
    run();  // a driver may compile now
    for (double seconds = run(); seconds < run_seconds && rounds < most_rounds; seconds = run()) {
      if (seconds_since(start) > all_seconds) break;
      rounds = static_cast<cl_int>(rounds * std::clamp(1.2 * run_seconds / seconds, 2.0, 64.0));
      rounds = std::min(rounds, most_rounds);
    }
    const double best = best_of(run);
    return static_cast<double>(items_ * load_.chains * load_.width) * rounds / best;
  }

  // Measures the bandwidth with more memory than the caches hold.
  double bytes() {
    const std::size_t steps = steps_of_buffer();
    const std::size_t count = steps * items_ * vector_bytes();
    const cl::Buffer from(context_, CL_MEM_READ_WRITE, count);
    // Fills all pages, because a new page may be a shared page of zeros.
    cl::Event filled;
    queue_.enqueueFillBuffer(from, 1.0f, 0, count, nullptr, &filled);
    check_finished(filled);
    cl::Kernel kernel(program_, "read_all");
    kernel.setArg(0, from);
    kernel.setArg(1, results_);
    kernel.setArg(2, static_cast<cl_int>(steps));
    kernel.setArg(3, static_cast<cl_int>(load_.neighbours_together ? 1 : steps));
    kernel.setArg(4, static_cast<cl_int>(load_.neighbours_together ? items_ : 1));
    kernel.setArg(5, cl_int{1});
    run_once(kernel);  // a driver may compile now
    const int launches = std::clamp(static_cast<int>(run_seconds / run_once(kernel)), 1, most_launches);
    return static_cast<double>(count) * launches / best_of([&] { return run_once(kernel, launches); });
  }

  // A device with its own memory has a link, and one thread copies. Other programs can only make them slower,
  // so the results are always used.
  std::optional<HostRates> host() {
    if (info_.shares_host_memory) return std::nullopt;
    constexpr std::size_t count = std::size_t{16} << 20;
    const cl::Buffer on_device(context_, CL_MEM_READ_WRITE, count);
    const cl::Buffer pinned(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, count);
    void* const memory = queue_.enqueueMapBuffer(pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, count);
    const std::vector<char> of_caller(count, 1);
    const auto rate_of = [&](const auto& run) {
      double least = std::numeric_limits<double>::infinity();
      for (int i = 0; i < runs; ++i) {
        const auto start = Clock::now();
        run();
        least = std::min(least, seconds_since(start));
      }
      return static_cast<double>(count) / least;
    };
    HostRates rates;
    try {
      rates.copied = rate_of([&] { std::memcpy(memory, of_caller.data(), count); });
      rates.to_device = rate_of([&] { queue_.enqueueWriteBuffer(on_device, CL_TRUE, 0, count, memory); });
      rates.from_device = rate_of([&] { queue_.enqueueReadBuffer(on_device, CL_TRUE, 0, count, memory); });
    } catch (...) {
      settle(queue_);
      unmap_before_release(queue_, pinned, memory);
      throw;
    }
    unmap_before_release(queue_, pinned, memory);
    settle(queue_);
    rates.streamed = part_when_streamed * std::min({rates.to_device, rates.from_device,
                                                    rates.copied * static_cast<double>(copy_threads().in)});
    return rates;
  }

  // Returns whether the best runs of each kernel agreed.
  bool agrees() const { return agrees_; }

 private:
  std::size_t vector_bytes() const { return load_.width * sizeof(float); }

  // Returns a multiple of four, because the kernel takes four steps at once.
  std::size_t steps_of_buffer() const {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    const std::size_t cache = device_.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
    const std::size_t wanted = std::clamp(2 * cache, 64 * mebibyte, 256 * mebibyte);
    const std::size_t bytes = std::min({wanted, info_.max_allocation_bytes / 2, info_.global_bytes / 16});
    return std::max<std::size_t>(bytes / (items_ * vector_bytes()) / 4, 1) * 4;
  }

  // With some drivers, only the event shows that a command has failed.
  void check_finished(const cl::Event& event) {
    queue_.flush();
    event.wait();
    clgemm::check_finished({event});
  }

  // Runs several launches one after the other, which hides the host's time for a wait. With one launch, an
  // H100 that reads 100 MB seemed to read at 1.35 TB/s.
  double run_once(const cl::Kernel& kernel, int launches = 1) {
    cl::Event event;
    const auto start = Clock::now();
    for (int i = 1; i < launches; ++i)
      queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items_), cl::NDRange(load_.group));
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items_), cl::NDRange(load_.group), nullptr,
                                &event);
    check_finished(event);
    return seconds_since(start);
  }

  template <class Run>
  double best_of(const Run& run) {
    const auto start = Clock::now();
    std::vector<double> seconds;
    while (seconds.size() < runs && (seconds.size() < 2 || seconds_since(start) < all_seconds))
      seconds.push_back(run());
    std::sort(seconds.begin(), seconds.end());
    agrees_ = agrees_ && seconds[1] <= disagreement * seconds[0];
    return seconds[0];
  }

  cl::Context context_;
  cl::Device device_;
  const Device& info_;
  Load load_;
  std::size_t items_;
  cl::CommandQueue queue_;
  cl::Program program_;
  cl::Buffer results_;
  bool agrees_ = true;
};

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
  const auto start = Clock::now();
  const auto [probed, is_sure] = measure_device(context, device, info);
  log(LogLevel::info,
      fmt::format("probe of '{}': {}, in {:.0f} ms{}", info.name, to_string(probed),
                  1e3 * seconds_since(start),
                  is_sure ? "" : "; it may have been busy: not used, and measured again next time"));
  if (!is_sure) return std::nullopt;
  disk.store(key, written(probed));
  return probed;
}

}  // namespace

Measurement measure_device(const cl::Context& context, const cl::Device& device, const Device& info) {
  Measuring measuring(context, device, info);
  Probed probed;
  probed.multiply_adds = measuring.multiply_adds();
  probed.bytes = measuring.bytes();
  probed.host = measuring.host();
  if (!is_possible(probed))
    throw Error(ErrorCode::internal_error, fmt::format("{} cannot be", to_string(probed)));
  return {probed, measuring.agrees() && is_plausible(probed, info)};
}

std::optional<Probed> probe(const cl::Context& context, const cl::Device& device, const Device& info) {
  if (environment("CLGEMM_PROBE") == "0") return std::nullopt;
  try {
    return at_boundary([&] { return load_or_measure(context, device, info); });
  } catch (const Error& error) {
    log_once(LogLevel::info, fmt::format("no probe of '{}': {}", info.name, error.what()));
    return std::nullopt;
  }
}

std::string to_string(const Probed& probed) {
  std::string text = fmt::format("{:.3g} GFLOP/s, {:.3g} GB/s",
                                 probed.multiply_adds * flops_of_multiply_add * 1e-9, probed.bytes * 1e-9);
  if (const auto& host = probed.host)
    text +=
        fmt::format(", link {:.3g} GB/s in and {:.3g} out", host->to_device * 1e-9, host->from_device * 1e-9);
  return text;
}

}  // namespace clgemm
