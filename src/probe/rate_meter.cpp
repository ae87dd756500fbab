#include "probe/rate_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "base/copy_lines.hpp"
#include "base/finished.hpp"
#include "base/mapped.hpp"
#include "build/compile.hpp"
#include "probe_source.hpp"

namespace clgemm {
namespace {

using Clock = std::chrono::steady_clock;

// The part of the link's rate that is left if both directions and the copying threads are busy: 36 of 50 GB/s
// on an H200's host (November 2026).
constexpr double part_when_streamed = 0.72;

constexpr int most_launches = 64;

// The second best run may be slower than the best by this factor. If it is slower, something disturbs the
// runs.
constexpr double disagreement = 1.1;

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// On a CPU, a work-item has the vector units of a core for itself. Each core gets four groups, so that a core
// that is disturbed gets less of the work.
RateMeter::Load RateMeter::load_for(const Device& info) {
  if (info.kind == DeviceKind::cpu)
    return {std::clamp<std::size_t>(info.native_float_width, 4, 16), 12, 1, 4, false};
  return {4, 8, std::min<std::size_t>(256, info.max_work_group_size), 16, true};
}

RateMeter::RateMeter(const cl::Context& context, const cl::Device& device, const Device& info,
                     const Effort& effort, const std::string& more_source)
    : context_(context),
      info_(info),
      effort_(effort),
      load_(load_for(info)),
      items_(load_.group * load_.groups_of_a_unit * info.compute_units),
      queue_(context, device),
      program_(context, probe_source + more_source),
      results_(context, CL_MEM_READ_WRITE, bytes_of_a_step()) {
  const std::string options =
      fmt::format("-cl-mad-enable -DFLOATS=float{} -DCHAINS={}", load_.width, load_.chains);
  if (const cl_int status = build_program(program_, options, device); status != CL_SUCCESS)
    throw cl::Error(status, "clBuildProgram");
}

RateMeter::~RateMeter() {
  settle(queue_);
}

double RateMeter::multiply_adds() {
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
  for (double seconds = run(); seconds < effort_.run_seconds && rounds < most_rounds; seconds = run()) {
    if (seconds_since(start) > effort_.all_seconds) break;
    rounds = static_cast<cl_int>(rounds * std::clamp(1.2 * effort_.run_seconds / seconds, 2.0, 64.0));
    rounds = std::min(rounds, most_rounds);
  }
  const double best = best_of(run);
  return static_cast<double>(items_ * load_.chains * load_.width) * rounds / best;
}

double RateMeter::bytes_read(std::size_t bytes, cl_int passes) {
  const std::size_t steps = steps_for(bytes);
  return bytes_moved("read_all", filled(steps * bytes_of_a_step()), results_, steps, passes);
}

double RateMeter::bytes_copied(std::size_t bytes) {
  const std::size_t steps = steps_for(bytes);
  const cl::Buffer from = filled(steps * bytes_of_a_step());
  return 2.0 * bytes_moved("copy_all", from, filled(steps * bytes_of_a_step()), steps, 1);
}

std::optional<HostRates> RateMeter::host() {
  if (info_.shares_host_memory) return std::nullopt;
  constexpr std::size_t count = std::size_t{16} << 20;
  const cl::Buffer on_device(context_, CL_MEM_READ_WRITE, count);
  const cl::Buffer pinned(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, count);
  void* const memory = queue_.enqueueMapBuffer(pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, count);
  const std::vector<char> of_caller(count, 1);
  const auto rate_of = [&](const auto& run) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < effort_.runs; ++i) {
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

// Returns a multiple of four, because the kernel takes four steps at once.
std::size_t RateMeter::steps_for(std::size_t bytes) const {
  const std::size_t possible = std::min(bytes, info_.max_allocation_bytes / 2);
  return std::max<std::size_t>(possible / bytes_of_a_step() / 4, 1) * 4;
}

// Fills all pages, because a new page may be a shared page of zeros.
cl::Buffer RateMeter::filled(std::size_t bytes) {
  cl::Buffer buffer(context_, CL_MEM_READ_WRITE, bytes);
  cl::Event event;
  queue_.enqueueFillBuffer(buffer, 1.0f, 0, bytes, nullptr, &event);
  check_finished(event);
  return buffer;
}

double RateMeter::bytes_moved(const char* name, const cl::Buffer& from, const cl::Buffer& to,
                              std::size_t steps, cl_int passes) {
  cl::Kernel kernel(program_, name);
  kernel.setArg(0, from);
  kernel.setArg(1, to);
  kernel.setArg(2, static_cast<cl_int>(steps));
  kernel.setArg(3, static_cast<cl_int>(load_.neighbours_together ? 1 : steps));
  kernel.setArg(4, static_cast<cl_int>(load_.neighbours_together ? items_ : 1));
  kernel.setArg(5, passes);
  run_once(kernel);  // a driver may compile now
  const int launches = std::clamp(static_cast<int>(effort_.run_seconds / run_once(kernel)), 1, most_launches);
  const double seconds = best_of([&] { return run_once(kernel, launches); });
  return static_cast<double>(steps * bytes_of_a_step()) * passes * launches / seconds;
}

// With some drivers, only the event shows that a command has failed.
void RateMeter::check_finished(const cl::Event& event) {
  queue_.flush();
  event.wait();
  clgemm::check_finished({event});
}

// Runs several launches one after the other, which hides the host's time for a wait. With one launch, an
// H100 that reads 100 MB seemed to read at 1.35 TB/s.
double RateMeter::run_once(const cl::Kernel& kernel, int launches) {
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
double RateMeter::best_of(const Run& run) {
  const auto start = Clock::now();
  std::vector<double> seconds;
  while (seconds.size() < effort_.runs && (seconds.size() < 2 || seconds_since(start) < effort_.all_seconds))
    seconds.push_back(run());
  std::sort(seconds.begin(), seconds.end());
  agrees_ = agrees_ && seconds[1] <= disagreement * seconds[0];
  return seconds[0];
}

}  // namespace clgemm
