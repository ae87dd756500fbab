#include "tune/calibration/host_rates.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace clgemm::tune {
namespace {

// Returns the shortest time of some calls, after one that compiles.
double seconds_of(Context& context, std::size_t side, std::size_t k, float beta, int calls) {
  using Clock = std::chrono::steady_clock;
  const std::vector<float> a(side * k, 1.0F);
  const std::vector<float> b(k * side, 1.0F);
  std::vector<float> c(side * side, 1.0F);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= calls; ++i) {
    const auto start = Clock::now();
    context.sgemm(Layout::row_major, Transpose::no, Transpose::no, side, side, k, 1.0F, a.data(), k, b.data(),
                  side, beta, c.data(), side);
    if (i > 0) least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

}  // namespace

HostRates measured_host_rates(Context& context, const std::optional<HostRates>& link) {
  constexpr std::size_t small = 16;
  constexpr std::size_t large = 8192;  // 256 MiB of C, in tiles that go in both directions
  constexpr std::size_t flat = 8;
  HostRates rates = link.value_or(HostRates{});
  rates.call_seconds = seconds_of(context, small, small, 0.0F, 50);
  if (!link) return rates;
  const double streaming = seconds_of(context, large, flat, 1.0F, 3) - rates.call_seconds;
  rates.streamed = static_cast<double>(large * large * sizeof(float)) / streaming;
  return rates;
}

}  // namespace clgemm::tune
