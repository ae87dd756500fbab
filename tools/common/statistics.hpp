// Figures of repeated runs, and how a figure is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::bench {

// The middle value, or the mean of the two in the middle. `values` must not be empty.
double median(std::vector<double> values);

double minimum(const std::vector<double>& values);

// The least value that 95 of 100 values do not exceed: the largest one of fewer than twenty.
double percentile_95(std::vector<double> values);

// The bounds between which the median of all such runs lies, 95 times of 100, whatever their distribution; of
// fewer than `runs_for_interval` the least and the largest, which hold it less often. Nothing where a single
// run tells of none.
constexpr std::size_t runs_for_interval = 6;
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
std::optional<Interval> interval_of_median(std::vector<double> values);

// With four digits that count, never as 1e+03.
std::string format_figure(double value);

// The same, or "-" where there is none; a factor has two digits behind the point.
std::string figure_or_dash(const std::optional<double>& value);
std::string factor_or_dash(const std::optional<double>& value);

}  // namespace clgemm::bench
