#include "choose/shape_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace clgemm {
namespace {

// Borders by thought, not by measurement: the class is a part of an entry's key, and only thin shapes are
// kept apart from all others where an entry is looked up.
constexpr double small_work = 128.0 * 128.0 * 128.0;
constexpr double deep_ratio = 8.0;
constexpr double tall_ratio = 4.0;
constexpr double in_its_stride = 4096.0;

double clamped_log2(std::size_t size) {
  return std::log2(std::clamp(static_cast<double>(size), 1.0, in_its_stride));
}

bool is_thin(ShapeClass shape) {
  return shape == ShapeClass::thin_rows || shape == ShapeClass::thin_columns;
}

}  // namespace

ShapeClass shape_class(const ShapeSize& size) {
  const auto m = static_cast<double>(size.m);
  const auto n = static_cast<double>(size.n);
  const auto k = static_cast<double>(size.k);
  if (std::min(size.m, size.n) <= most_thin_lines)
    return size.m <= size.n ? ShapeClass::thin_rows : ShapeClass::thin_columns;
  if (m * n * k <= small_work) return ShapeClass::small;
  if (k >= deep_ratio * std::max(m, n)) return ShapeClass::deep;
  if (deep_ratio * k <= std::min(m, n)) return ShapeClass::flat;
  if (m >= tall_ratio * n) return ShapeClass::tall;
  if (n >= tall_ratio * m) return ShapeClass::wide;
  return ShapeClass::square;
}

const char* to_string(ShapeClass shape) {
  constexpr std::array names = {"thin_rows", "thin_columns", "small", "deep",
                                "flat",      "tall",         "wide",  "square"};
  return names.at(static_cast<std::size_t>(shape));
}

int log2_size(std::size_t size) {
  return static_cast<int>(std::lround(clamped_log2(size)));
}

std::string shape_key(const ShapeSize& size) {
  return fmt::format("{} {} {} {}", to_string(shape_class(size)), log2_size(size.m), log2_size(size.n),
                     log2_size(size.k));
}

double distance(const ShapeSize& x, const ShapeSize& y) {
  const ShapeClass class_x = shape_class(x);
  const ShapeClass class_y = shape_class(y);
  if (class_x != class_y && (is_thin(class_x) || is_thin(class_y)))
    return std::numeric_limits<double>::infinity();
  return std::max({std::abs(clamped_log2(x.m) - clamped_log2(y.m)),
                   std::abs(clamped_log2(x.n) - clamped_log2(y.n)),
                   std::abs(clamped_log2(x.k) - clamped_log2(y.k))});
}

}  // namespace clgemm
