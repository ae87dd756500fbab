// What a multiply must come to, in float64, and how far a result may lie from it: the one reference of the
// bench's check, of its table of exactness and of the tests.
//
//   error ratio = |C - reference| / (u * (|alpha| |A||B| + |beta| |C0|)),  u = 2^-24, half an fp32 ulp of 1
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace clgemm::bench {

inline constexpr double unit_roundoff = 0x1p-24;

// Where a result is NaN, or differs although nothing may, no bound is large enough.
inline double error_ratio_of(double distance, double magnitude) {
  if (distance == 0.0) return 0.0;
  const double ratio = distance / (unit_roundoff * magnitude);
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

// The largest error ratio that passes for sums of k products: rounding errors of k random signs add up to
// sqrt(k); twice that, and 8 for short sums, leaves room for any order of adding.
inline double error_bound(std::size_t k) {
  return 8.0 + 2.0 * std::sqrt(static_cast<double>(k));
}

// Adds a row of A times B: `a(depth)` and `b(depth, column)` are elements; the magnitudes are the sums of the
// products' absolute values. A float's product with another is exact in float64.
template <class ElementOfA, class ElementOfB>
void add_exact_row(std::size_t k, const ElementOfA& a, const ElementOfB& b, std::span<double> sums,
                   std::span<double> magnitudes) {
  for (std::size_t depth = 0; depth < k; ++depth) {
    const double factor = a(depth);
    for (std::size_t column = 0; column < sums.size(); ++column) {
      const double product = factor * double{b(depth, column)};
      sums[column] += product;
      magnitudes[column] += std::fabs(product);
    }
  }
}

}  // namespace clgemm::bench
