// Computes the exact result of a GEMM in float64, and the distance of a result from it. The bench's check,
// its table of accuracy and the tests all use this reference.
//
//     error ratio = (|C - reference| - k * 2^-149) / (u * (|alpha| |A||B| + |beta| |C0|)),  u = 2^-24
//
// u is half an fp32 ulp of 1. 2^-149 is fp32's smallest number, which each of k additions may lose.
// error_bound.hpp says how large the ratio may be.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace clgemm::bench {

inline constexpr double unit_roundoff = 0x1p-24;

// Returns infinity if a result is NaN, or if it differs although all products are zero.
inline double error_ratio_of(double distance, double magnitude, std::size_t k) {
  if (distance == 0.0) return 0.0;
  const double least = static_cast<double>(k) * 0x1p-149;
  if (magnitude > 0.0 && distance <= least) return 0.0;
  const double ratio = (distance - least) / (unit_roundoff * magnitude);
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

// Adds a row of A times B. `a(depth)` and `b(depth, column)` are elements. The magnitudes are the sums of the
// products' absolute values. The product of two floats is exact in float64.
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
