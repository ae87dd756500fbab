// The clock of a figure, and the host's clock.
#pragma once

#include <chrono>

namespace clgemm::bench {

// Some devices report a nanosecond for anything. For them, the host's time of the whole call is used instead.
enum class Clock { device, host };

// Returns milliseconds by the host's clock.
inline double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Returns the milliseconds that a call takes.
template <class Call>
double ms_of(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return ms_since(start);
}

}  // namespace clgemm::bench
