#include "accuracy/tensor_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace clgemm::test {
namespace {

constexpr int least_aligned = -133;  // no products are aligned to a smaller exponent
constexpr int factor_bits = 10;      // after the binary point
constexpr int sum_bits = 23;

// An exponent by which a zero never counts, and exponents by which an Inf or a NaN shows in any sum of
// exponents.
constexpr std::int32_t of_zero = -1000;
constexpr std::int32_t of_strange = 100000;

// Returns `units` of 2^exponent, rounded towards zero.
float cut_off(std::int64_t units, int exponent) {
  const std::uint32_t sign = units < 0 ? 0x80000000u : 0u;
  std::uint64_t magnitude = static_cast<std::uint64_t>(std::abs(units));
  if (magnitude == 0) return 0.0f;
  const int last = std::max(static_cast<int>(std::bit_width(magnitude)) - 24 + exponent, -149);
  const int down = last - exponent;
  if (down > 63) return std::bit_cast<float>(sign);
  magnitude = down > 0 ? magnitude >> down : magnitude << -down;
  if (last > 127 - sum_bits) return std::bit_cast<float>(sign | 0x7f800000u);
  // A denormal number has no leading one to add to the exponent.
  const std::uint32_t biased = static_cast<std::uint32_t>(last + 149) << sum_bits;
  return std::bit_cast<float>(sign | (biased + static_cast<std::uint32_t>(magnitude)));
}

float add_strange(std::size_t together, const Factor* a, const Factor* b, float sum) {
  double result = sum;
  for (std::size_t i = 0; i < together; ++i) result += double{a[i].value} * double{b[i].value};
  return static_cast<float>(result);
}

float add_once(const TensorCore& core, const Factor* a, const Factor* b, float sum) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  const auto biased = static_cast<std::int32_t>(bits >> sum_bits & 0xffu);
  if (biased == 0xff) return add_strange(core.together, a, b, sum);
  const auto fraction = static_cast<std::int64_t>((bits & 0x7fffffu) + (biased != 0 ? 0x800000u : 0u));
  const int exponent = fraction == 0 ? of_zero : std::max(biased, 1) - 127;
  std::int32_t largest = std::max(least_aligned, exponent);
  for (std::size_t i = 0; i < core.together; ++i) largest = std::max(largest, a[i].exponent + b[i].exponent);
  if (largest > of_strange / 2) return add_strange(core.together, a, b, sum);

  const std::int64_t aligned_sum =
      fraction << (core.fraction_bits - sum_bits) >> std::min(largest - exponent, 62);
  std::int64_t units = bits >> 31 != 0 ? -aligned_sum : aligned_sum;
  const int up = core.fraction_bits - 2 * factor_bits;
  for (std::size_t i = 0; i < core.together; ++i) {
    const std::int32_t product = a[i].significand * b[i].significand;
    const std::int32_t aligned =
        (std::abs(product) << up) >> std::min(largest - a[i].exponent - b[i].exponent, 31);
    units += product < 0 ? -aligned : aligned;
  }
  return cut_off(units, largest - core.fraction_bits);
}

// The number of products in one addition on AMD's CDNA 3.
constexpr std::size_t together_on_cdna3 = 8;

double rounded_down(double value, int bits) {
  return std::ldexp(std::floor(std::ldexp(value, bits)), -bits);
}

float add_once_on_cdna3(const Factor* a, const Factor* b, float sum) {
  constexpr int fraction_bits = 24;  // in each product and in the sum so far
  constexpr int result_bits = 31;  // in the result before it is rounded; the sum of the products has one more
  constexpr int least_exponent = -126;  // for a sum, and for 0
  int largest = of_zero;
  for (std::size_t i = 0; i < together_on_cdna3; ++i) {
    if (a[i].significand * b[i].significand != 0 || a[i].exponent + b[i].exponent > of_strange / 2)
      largest = std::max(largest, a[i].exponent + b[i].exponent);
  }
  if (largest > of_strange / 2 || !std::isfinite(sum)) return add_strange(together_on_cdna3, a, b, sum);

  double products = 0.0;  // in units of 2^largest
  for (std::size_t i = 0; i < together_on_cdna3; ++i) {
    const double product = std::ldexp(static_cast<double>(a[i].significand * b[i].significand),
                                      a[i].exponent + b[i].exponent - largest - 2 * factor_bits);
    products += std::ldexp(std::trunc(std::ldexp(product, fraction_bits)), -fraction_bits);
  }
  const int exponent = sum == 0.0f ? least_exponent : std::max(std::ilogb(sum), least_exponent);
  const int common = std::max(largest, exponent);
  const double total = rounded_down(std::ldexp(products, largest - common), result_bits + 1) +
                       rounded_down(std::ldexp(double{sum}, -common), fraction_bits);  // in units of 2^common
  if (total == 0.0) return 0.0f;
  const int of_total = std::max(std::ilogb(total) + common, least_exponent);
  return static_cast<float>(
      std::ldexp(rounded_down(std::ldexp(total, common - of_total), result_bits), of_total));
}

// The number of products in one addition on AMD's RDNA.
constexpr std::size_t together_on_rdna = 2;

float add_once_on_rdna(const Factor* a, const Factor* b, float sum) {
  constexpr int fraction_bits = 24;
  constexpr int least_exponent = -126;
  int largest = sum == 0.0f ? least_exponent : std::max(std::ilogb(sum), least_exponent);
  for (std::size_t i = 0; i < together_on_rdna; ++i)
    largest = std::max(largest, a[i].exponent + b[i].exponent);
  if (largest > of_strange / 2 || !std::isfinite(sum)) return add_strange(together_on_rdna, a, b, sum);

  double units = std::trunc(std::ldexp(double{sum}, fraction_bits - largest));
  for (std::size_t i = 0; i < together_on_rdna; ++i) {
    const std::int32_t product = a[i].significand * b[i].significand;
    if (product == 0) continue;
    const double aligned =
        std::trunc(std::ldexp(static_cast<double>(std::abs(product)),
                              a[i].exponent + b[i].exponent - 2 * factor_bits + fraction_bits - largest));
    const bool is_opposed = std::signbit(sum) != (product < 0);
    const double magnitude = is_opposed ? aligned + 1.0 : aligned;
    units += product < 0 ? -magnitude : magnitude;
  }
  return static_cast<float>(std::ldexp(units, largest - fraction_bits));
}

}  // namespace

Factor make_factor(float value, int least_exponent) {
  if (!std::isfinite(value)) return {0, of_strange, value};
  value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000u);
  if (value == 0.0f) return {0, of_zero, value};
  const int exponent = std::max(std::ilogb(value), least_exponent);
  return {static_cast<std::int32_t>(std::ldexp(value, factor_bits - exponent)), exponent, value};
}

std::vector<Factor> make_factors(const std::vector<float>& values, int least_exponent) {
  std::vector<Factor> result;
  result.reserve(values.size());
  for (const float value : values) result.push_back(make_factor(value, least_exponent));
  return result;
}

float add_products(const TensorCore& core, const Factor* a, const Factor* b, std::size_t count, float sum) {
  for (std::size_t first = 0; first < count; first += core.together)
    sum = add_once(core, a + first, b + first, sum);
  return sum;
}

float add_products_on_cdna3(const Factor* a, const Factor* b, std::size_t count, float sum) {
  for (std::size_t first = 0; first < count; first += together_on_cdna3)
    sum = add_once_on_cdna3(a + first, b + first, sum);
  return sum;
}

float add_products_on_rdna(const Factor* a, const Factor* b, std::size_t count, float sum) {
  for (std::size_t first = 0; first < count; first += together_on_rdna)
    sum = add_once_on_rdna(a + first, b + first, sum);
  return sum;
}

}  // namespace clgemm::test
