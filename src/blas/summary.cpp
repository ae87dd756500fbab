#include "blas/summary.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

#include "base/environment.hpp"

namespace clgemm::blas {
namespace {

struct Tally {
  unsigned long calls = 0;
  double seconds = 0.0;
};

std::mutex mutex;  // of what follows
Tally on_device;
Tally on_cpu;
double multiply_seconds = 0.0;
unsigned long batches = 0;
unsigned long in_batches = 0;
unsigned long failures = 0;
std::string first_failure;

void reset() {
  on_device = on_cpu = {};
  multiply_seconds = 0.0;
  batches = in_batches = 0;
  failures = 0;
}

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

}  // namespace

bool summary_is_wanted() {
  static const bool wanted = [] {
    const std::string text = environment("CLGEMM_BLAS_LOG");
    if (!text.empty() && text != "summary" && text != "0")
      std::fprintf(stderr, "clgemm_blas: CLGEMM_BLAS_LOG is '%s'; it may be summary\n", text.c_str());
    return text == "summary";
  }();
  return wanted;
}

void count_device_call(const DeviceTimes& times) {
  const std::lock_guard lock(mutex);
  ++on_device.calls;
  on_device.seconds += times.seconds;
  multiply_seconds += std::min(times.multiply_seconds, times.seconds);
}

void count_cpu_call(double seconds) {
  const std::lock_guard lock(mutex);
  ++on_cpu.calls;
  on_cpu.seconds += seconds;
}

void count_batch(const DeviceTimes& times, std::size_t multiplies) {
  count_device_call(times);
  const std::lock_guard lock(mutex);
  ++batches;
  in_batches += multiplies;
}

void count_device_failure(const std::string& why) {
  const std::lock_guard lock(mutex);
  if (failures++ == 0) first_failure = why;
}

void forget_calls() {
  const std::lock_guard lock(mutex);
  reset();
}

void count_anew_in_children() {
  // Held over the fork: a child would wait for ever for a thread that counts, and that it does not have.
  const auto unlock = [] { mutex.unlock(); };
  const auto reset_and_unlock = [] {
    reset();
    mutex.unlock();
  };
  ::pthread_atfork([] { mutex.lock(); }, unlock, reset_and_unlock);
}

std::string summary(const std::string& device, const std::string& cpu_blas) {
  const std::lock_guard lock(mutex);
  if (on_device.calls + on_cpu.calls == 0) return {};
  std::string result;
  if (on_device.calls != 0) {
    const double transfer = 1.0 - multiply_seconds / std::max(on_device.seconds, 1e-12);
    result += text(
        "clgemm_blas: %lu calls, %.3f s on %s; %.0f %% of it for transfers and launches, by the speed "
        "model\n",
        on_device.calls, on_device.seconds, device.c_str(), 100.0 * transfer);
    if (batches != 0)
      result += text("clgemm_blas: %lu of these were batches, %lu multiplies in a launch each\n", batches,
                     in_batches / batches);
  }
  result += text("clgemm_blas: %lu calls, %.3f s on the CPU by %s\n", on_cpu.calls, on_cpu.seconds,
                 cpu_blas.empty() ? "a plain loop" : cpu_blas.c_str());
  if (failures != 0)
    result += text("clgemm_blas: of these, %lu began on the device and failed there: %s\n", failures,
                   first_failure.c_str());
  return result;
}

}  // namespace clgemm::blas
