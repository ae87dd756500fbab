#include "statistics.hpp"

#include <algorithm>
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

}  // namespace clgemm::bench
