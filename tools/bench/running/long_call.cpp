#include "running/long_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/clock.hpp"

namespace clgemm::bench {
namespace {

std::string how_far(double ms, double expected_ms) {
  if (expected_ms <= 0.0) return fmt::format("{:.0f} s so far", ms * 1e-3);
  return fmt::format("{:.0f} s, {:.0f} % of the time of the last one", ms * 1e-3,
                     std::min(100.0 * ms / expected_ms, 999.0));
}

}  // namespace

void call_telling(const Tell& tell, const std::string& text, double expected_ms,
                  const std::function<void()>& call, std::chrono::milliseconds interval) {
  tell(text);
  if (expected_ms > 0.0 && expected_ms < static_cast<double>(interval.count())) return call();
  std::mutex mutex;
  std::condition_variable_any changed;
  const auto start = std::chrono::steady_clock::now();
  const std::jthread telling([&](const std::stop_token& end) {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, end, interval, [&] { return end.stop_requested(); }))
      tell(fmt::format("{}, {}", text, how_far(ms_since(start), expected_ms)));
  });
  call();
}

}  // namespace clgemm::bench
