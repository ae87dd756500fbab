#include "reference.hpp"

#include <algorithm>
#include <cmath>

#include "common/error_bound.hpp"
#include "common/float64.hpp"

namespace clgemm::test {
namespace {

// A row of the result, and for each element the sum of the absolute values that it consists of.
struct Row {
  std::vector<double> values;
  std::vector<double> magnitudes;
};

Row row_of(const Multiply& multiply, const Data& data, std::size_t row) {
  const auto& [m, n, k] = multiply.shape;
  Row result{std::vector<double>(n), std::vector<double>(n)};
  const double alpha = multiply.scalars.alpha;
  const double beta = multiply.scalars.beta;
  if (alpha != 0) {
    bench::add_exact_row(
        k, [&](std::size_t depth) { return data.a[multiply.a.index(row, depth)]; },
        [&](std::size_t depth, std::size_t column) { return data.b[multiply.b.index(depth, column)]; },
        result.values, result.magnitudes);
  }
  for (std::size_t column = 0; column < n; ++column) {
    const double old = beta == 0 ? 0 : beta * data.c[multiply.c.index(row, column)];
    result.values[column] = alpha * result.values[column] + old;
    result.magnitudes[column] = std::abs(alpha) * result.magnitudes[column] + std::abs(old);
  }
  return result;
}

}  // namespace

double error_ratio(const Multiply& multiply, const Data& before, const std::vector<float>& c) {
  double worst = 0;
  for (std::size_t row = 0; row < multiply.shape.m; ++row) {
    const Row expected = row_of(multiply, before, row);
    for (std::size_t column = 0; column < multiply.shape.n; ++column) {
      const double distance = std::abs(double{c[multiply.c.index(row, column)]} - expected.values[column]);
      worst = std::max(worst, bench::error_ratio_of(distance, expected.magnitudes[column], multiply.shape.k));
    }
  }
  return worst;
}

double error_bound(const Multiply& multiply) {
  return bench::error_bound(bench::Arithmetic::of_other_kernels, multiply.shape.k, bench::Numbers::random);
}

std::vector<double> reference_result(const Multiply& multiply, const Data& before) {
  std::vector<double> result;
  for (std::size_t row = 0; row < multiply.shape.m; ++row) {
    const Row values = row_of(multiply, before, row);
    result.insert(result.end(), values.values.begin(), values.values.end());
  }
  return result;
}

}  // namespace clgemm::test
