// Statistics of repeated runs, and the format of figures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::bench {

// Returns the middle value, or the mean of the two in the middle. `values` must not be empty.
double median(std::vector<double> values);

double minimum(const std::vector<double>& values);

// Returns the least value that 95 of 100 values do not exceed. For fewer than twenty, this is the largest
// one.
double percentile_95(std::vector<double> values);

// Returns bounds that contain the median of all such runs in 95 of 100 cases, for any distribution. For fewer
// than `runs_for_interval` runs, they are the least and the largest value, which contain it less often. A
// single run has no such bounds, so it returns nothing.
constexpr std::size_t runs_for_interval = 6;
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
std::optional<Interval> interval_of_median(std::vector<double> values);

// Writes four significant digits, never as 1e+03.
std::string format_figure(double value);

// Returns the same, or "-" if there is no value. A factor has two decimals.
std::string figure_or_dash(const std::optional<double>& value);
std::string factor_or_dash(const std::optional<double>& value);

}  // namespace clgemm::bench
