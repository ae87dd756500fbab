#include "common/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace clgemm::bench {

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the median of nothing");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double minimum(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("the minimum of nothing");
  return *std::min_element(values.begin(), values.end());
}

double percentile_95(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the percentile of nothing");
  std::sort(values.begin(), values.end());
  return values[(values.size() * 95 + 99) / 100 - 1];
}

std::optional<Interval> interval_of_median(std::vector<double> values) {
  const std::size_t count = values.size();
  if (count < 2) return std::nullopt;
  std::sort(values.begin(), values.end());
  // The number of runs below the true median is distributed like coin tosses. `out` of them may be left out
  // at each end if this goes wrong in at most 2.5 of 100 cases.
  std::size_t out = 0;
  double probability = std::pow(0.5, static_cast<double>(count));
  double below = probability;
  while (below <= 0.025 && 2 * (out + 1) < count) {
    ++out;
    probability *= static_cast<double>(count - out + 1) / static_cast<double>(out);
    below += probability;
  }
  const std::size_t first = out == 0 ? 0 : out - 1;
  return Interval{values[first], values[count - 1 - first]};
}

std::string format_figure(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::fabs(value);
  const int digits_before = magnitude < 10.0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 4 - digits_before));
}

std::string figure_or_dash(const std::optional<double>& value) {
  return value ? format_figure(*value) : "-";
}

std::string factor_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

}  // namespace clgemm::bench
