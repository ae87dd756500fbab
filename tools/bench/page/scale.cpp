#include "page/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clgemm::bench {
namespace {

double place(ScaleKind kind, double value) {
  return kind == ScaleKind::linear ? value : std::log10(value);
}

// Whether a scale can go from `low` to `high`: what was read from a file may be any number.
bool is_range(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low <= high;
}

}  // namespace

Scale::Scale(ScaleKind kind, double low, double high, double from, double to)
    : kind_(kind), low_(low), high_(high), from_(from), to_(to) {}

double Scale::operator()(double value) const {
  const double low = place(kind_, low_);
  const double extent = place(kind_, high_) - low;
  const double part = extent == 0.0 ? 0.5 : (place(kind_, value) - low) / extent;
  return from_ + part * (to_ - from_);
}

std::vector<double> linear_ticks(double low, double high, int wanted) {
  if (!is_range(low, high)) return {};
  const double rough = (high - low) / std::max(wanted, 1);
  if (!(rough > 0.0)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * 0.999) step = factor * power;
  }
  std::vector<double> ticks;
  const auto first = static_cast<long>(std::ceil(low / step - 1e-9));
  const auto last = static_cast<long>(std::floor(high / step + 1e-9));
  for (long i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  if (!is_range(low, high) || low <= 0.0) return {};
  std::vector<double> ticks;
  const double decades = std::log10(high / low);
  std::vector<double> factors = {1.0};
  if (decades < 3.0) factors = {1.0, 2.0, 5.0};
  if (decades < 1.0) factors = {1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0};
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  const auto last = static_cast<int>(std::ceil(std::log10(high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, exponent);
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value) {
  std::string text = fmt::format("{:.10g}", value);
  if (std::fabs(value) < 1e4 || std::fabs(value) >= 1e10) return text;
  for (std::size_t place = text.size() - 3; place < text.size() && place > 0; place -= 3) {
    text.insert(place, "\u202f");  // a narrow space that does not break
    if (place < 4) break;
  }
  return text;
}

}  // namespace clgemm::bench
