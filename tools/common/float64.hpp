// What a multiply must come to, in float64, and how far a result lies from it: the one reference of the
// bench's check, of its table of exactness and of the tests.
//
//   error ratio = (|C - reference| - k * 2^-149) / (u * (|alpha| |A||B| + |beta| |C0|)),  u = 2^-24
//
// u is half an fp32 ulp of 1; 2^-149 is fp32's smallest number, which each of k additions may lose. How large
// the ratio may be is in error_bound.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace clgemm::bench {

inline constexpr double unit_roundoff = 0x1p-24;

// Infinite if a result is NaN, or differs although all products are zero.
inline double error_ratio_of(double distance, double magnitude, std::size_t k) {
  if (distance == 0.0) return 0.0;
  const double least = static_cast<double>(k) * 0x1p-149;
  if (magnitude > 0.0 && distance <= least) return 0.0;
  const double ratio = (distance - least) / (unit_roundoff * magnitude);
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
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
