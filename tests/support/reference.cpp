#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clgemm::test {
namespace {

// An element of the result, and the sum of the absolute values that it is made of.
struct Element {
  double value = 0;
  double magnitude = 0;
};

Element element_of(const Multiply& multiply, const Data& data, std::size_t row, std::size_t column) {
  Element result;
  const double alpha = multiply.scalars.alpha;
  const double beta = multiply.scalars.beta;
  if (alpha != 0) {
    for (std::size_t depth = 0; depth < multiply.shape.k; ++depth) {
      const double a = data.a[multiply.a.index(row, depth)];
      const double b = data.b[multiply.b.index(depth, column)];
      result.value += a * b;
      result.magnitude += std::abs(a * b);
    }
    result.value *= alpha;
    result.magnitude *= std::abs(alpha);
  }
  if (beta != 0) {
    const double c = data.c[multiply.c.index(row, column)];
    result.value += beta * c;
    result.magnitude += std::abs(beta * c);
  }
  return result;
}

}  // namespace

double error_ratio(const Multiply& multiply, const Data& before, const std::vector<float>& c) {
  double worst = 0;
  for (std::size_t row = 0; row < multiply.shape.m; ++row) {
    for (std::size_t column = 0; column < multiply.shape.n; ++column) {
      const Element expected = element_of(multiply, before, row, column);
      const double distance = std::abs(double{c[multiply.c.index(row, column)]} - expected.value);
      if (distance == 0) continue;
      const double ratio = distance / (0x1p-24 * expected.magnitude);
      if (std::isnan(ratio)) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, ratio);
    }
  }
  return worst;
}

double error_bound(const Multiply& multiply) {
  return 8 + 2 * std::sqrt(static_cast<double>(multiply.shape.k));
}

std::vector<double> reference_result(const Multiply& multiply, const Data& before) {
  std::vector<double> result;
  for (std::size_t row = 0; row < multiply.shape.m; ++row) {
    for (std::size_t column = 0; column < multiply.shape.n; ++column)
      result.push_back(element_of(multiply, before, row, column).value);
  }
  return result;
}

}  // namespace clgemm::test
