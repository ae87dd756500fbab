// Shapes of multiplies sorted into a few classes, and how far two shapes lie apart: what is best for one
// shape is good for others of about its size.
#pragma once

#include <cstddef>
#include <string>

namespace clgemm {

// C is m x n, and each element the sum of k products.
struct ShapeSize {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;

  bool operator==(const ShapeSize&) const = default;
};

// thin_rows, thin_columns: m or n up to most_thin_lines, so that memory is the limit.
// small: up to 128^3 multiply-adds, so that a launch is much of the cost.
// deep: k at least 8 times m and n. flat: k at most an eighth of both.
// tall, wide: one side of C at least 4 times the other. square: all others.
inline constexpr std::size_t most_thin_lines = 16;
enum class ShapeClass { thin_rows, thin_columns, small, deep, flat, tall, wide, square };

ShapeClass shape_class(const ShapeSize& size);

// "square"
const char* to_string(ShapeClass shape);

// The number of the power of two that is nearest. Above 4096 sizes differ no more: a kernel is in its stride.
int log2_size(std::size_t size);

// "square 10 10 10": the class and the log2 sizes. Tuning data has one entry for each.
std::string shape_key(const ShapeSize& size);

// The most that a side of one is larger than that of the other, as a power of two. Infinite where one is thin
// in a way that the other is not.
double distance(const ShapeSize& x, const ShapeSize& y);

}  // namespace clgemm
