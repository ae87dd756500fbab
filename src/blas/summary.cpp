#include "blas/summary.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/environment.hpp"

namespace clgemm::blas {
namespace {

struct Tally {
  unsigned long calls = 0;
  double seconds = 0.0;
};

pid_t expects_calls = 0;

std::mutex mutex;  // for the variables below
Tally on_device;
Tally on_cpu;
Tally preparations;
double gemm_seconds = 0.0;
unsigned long batches = 0;
unsigned long in_batches = 0;
unsigned long failures = 0;
std::string& first_failure = *new std::string;  // outlives objects that are destroyed before the summary

void reset() {
  on_device = on_cpu = preparations = {};
  gemm_seconds = 0.0;
  batches = in_batches = 0;
  failures = 0;
}

}  // namespace

bool summary_is_wanted() {
  static const bool wanted = [] {
    const std::string text = environment("CLGEMM_BLAS_LOG");
    if (!text.empty() && text != "summary" && text != "0")
      std::fprintf(stderr, "clgemm_blas: CLGEMM_BLAS_LOG is '%s'; it must be summary\n", text.c_str());
    return text == "summary";
  }();
  return wanted;
}

void count_device_call(const DeviceTimes& times, std::size_t gemms) {
  const std::lock_guard lock(mutex);
  if (gemms > 1) {
    ++batches;
    in_batches += gemms;
  }
  ++on_device.calls;
  on_device.seconds += times.seconds;
  gemm_seconds += std::min(times.gemm_seconds, times.seconds);
}

void count_cpu_call(double seconds) {
  const std::lock_guard lock(mutex);
  ++on_cpu.calls;
  on_cpu.seconds += seconds;
}

void count_preparation(double seconds) {
  const std::lock_guard lock(mutex);
  ++preparations.calls;
  preparations.seconds += seconds;
}

void count_device_failure(const std::string& why) {
  const std::lock_guard lock(mutex);
  if (failures++ == 0) first_failure = why;
}

void expect_calls() {
  // exec() keeps the process and its environment.
  constexpr const char* first_process = "CLGEMM_BLAS_FIRST_PROCESS";
  const std::string us = fmt::format("{}", ::getpid());
  ::setenv(first_process, us.c_str(), 0);
  if (environment(first_process) == us) expects_calls = ::getpid();
}

bool has_calls() {
  const std::lock_guard lock(mutex);
  return on_device.calls + on_cpu.calls != 0;
}

void forget_calls() {
  const std::lock_guard lock(mutex);
  reset();
}

void count_anew_in_children() {
  // The lock is held during fork(), because a child would wait forever for a thread that counts and does not
  // exist in it.
  const auto unlock = [] { mutex.unlock(); };
  const auto reset_and_unlock = [] {
    reset();
    mutex.unlock();
  };
  ::pthread_atfork([] { mutex.lock(); }, unlock, reset_and_unlock);
}

std::string summary(const Surroundings& surroundings) {
  const std::lock_guard lock(mutex);
  if (on_device.calls + on_cpu.calls == 0) {
    if (::getpid() != expects_calls) return {};
    return fmt::format("clgemm_blas: {} did not call SGEMM\n", program_invocation_short_name);
  }
  std::string result;
  if (on_device.calls != 0) {
    result = fmt::format("clgemm_blas: {} calls, {:.3f} s on {}", on_device.calls, on_device.seconds,
                         surroundings.device);
    if (surroundings.copies_matrices) {
      const double transfer = 1.0 - gemm_seconds / std::max(on_device.seconds, 1e-12);
      result += fmt::format("; {:.0f} % of this is for transfers and launches (predicted by the speed model)",
                            100.0 * transfer);
    }
    result += '\n';
    if (batches != 0)
      result += fmt::format("clgemm_blas: {} of these calls were batches, with {} GEMMs each on average\n",
                            batches, in_batches / batches);
  } else if (!surroundings.why_no_device.empty()) {
    result += fmt::format("clgemm_blas: no device was opened: {}\n", surroundings.why_no_device);
  }
  if (preparations.calls != 0)
    result += fmt::format(
        "clgemm_blas: {:.3f} s for opening the device and compiling, not included in the times of the "
        "calls\n",
        preparations.seconds);
  result += fmt::format("clgemm_blas: {} calls, {:.3f} s on the CPU by {}\n", on_cpu.calls, on_cpu.seconds,
                        surroundings.cpu_blas.empty() ? "a plain loop" : surroundings.cpu_blas);
  if (failures != 0)
    result += fmt::format("clgemm_blas: {} of these calls began on the device and failed there: {}\n",
                          failures, first_failure);
  return result;
}

}  // namespace clgemm::blas
