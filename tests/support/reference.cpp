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

Row row_of(const GemmCase& gemm, const Data& data, std::size_t row) {
  const auto& [m, n, k] = gemm.shape;
  Row result{std::vector<double>(n), std::vector<double>(n)};
  const double alpha = gemm.scalars.alpha;
  const double beta = gemm.scalars.beta;
  if (alpha != 0) {
    bench::add_exact_row(
        k, [&](std::size_t depth) { return data.a[gemm.a.index(row, depth)]; },
        [&](std::size_t depth, std::size_t column) { return data.b[gemm.b.index(depth, column)]; },
        result.values, result.magnitudes);
  }
  for (std::size_t column = 0; column < n; ++column) {
    const double old = beta == 0 ? 0 : beta * data.c[gemm.c.index(row, column)];
    result.values[column] = alpha * result.values[column] + old;
    result.magnitudes[column] = std::abs(alpha) * result.magnitudes[column] + std::abs(old);
  }
  return result;
}

}  // namespace

double error_ratio(const GemmCase& gemm, const Data& before, const std::vector<float>& c) {
  double worst = 0;
  for (std::size_t row = 0; row < gemm.shape.m; ++row) {
    const Row expected = row_of(gemm, before, row);
    for (std::size_t column = 0; column < gemm.shape.n; ++column) {
      const double distance = std::abs(double{c[gemm.c.index(row, column)]} - expected.values[column]);
      worst = std::max(worst, bench::error_ratio_of(distance, expected.magnitudes[column], gemm.shape.k));
    }
  }
  return worst;
}

double error_bound(const GemmCase& gemm) {
  return bench::error_bound(bench::Arithmetic::of_other_kernels, gemm.shape.k, bench::Numbers::random);
}

std::vector<double> reference_result(const GemmCase& gemm, const Data& before) {
  std::vector<double> result;
  for (std::size_t row = 0; row < gemm.shape.m; ++row) {
    const Row values = row_of(gemm, before, row);
    result.insert(result.end(), values.values.begin(), values.values.end());
  }
  return result;
}

}  // namespace clgemm::test
