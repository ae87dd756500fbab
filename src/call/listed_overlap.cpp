#include "call/listed_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <queue>
#include <span>
#include <tuple>

#include "base/error.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

using Two = std::optional<std::pair<std::size_t, std::size_t>>;
using Matrices = std::span<const PlacedMatrix>;

std::pair<std::size_t, std::size_t> in_order(std::size_t x, std::size_t y) {
  return std::minmax({x, y});
}

bool lies_before(const PlacedMatrix& x, const PlacedMatrix& y) {
  return std::tie(x.memory, x.first) < std::tie(y.memory, y.first);
}

// The size of all matrices, in lines.
struct Shape {
  std::int64_t lines;
  std::int64_t length;
};

// Memory with lines of length `ld` is a grid, and a matrix in it is a rectangle. If the matrix crosses the
// ends of the grid's lines, it is two rectangles.
struct Rectangle {
  std::int64_t top;
  std::int64_t left;
  std::int64_t right;  // the first column behind the rectangle
  std::size_t number;
};

std::vector<Rectangle> rectangles_of(Matrices matrices, const Shape& shape) {
  std::vector<Rectangle> result;
  result.reserve(matrices.size());
  const std::int64_t ld = as_signed(matrices.front().ld);
  for (const PlacedMatrix& matrix : matrices) {
    const std::int64_t place = matrix.first - matrices.front().first;
    const std::int64_t left = place % ld;
    const std::int64_t right = left + shape.length;
    result.push_back({place / ld, left, std::min(right, ld), matrix.number});
    if (right > ld) result.push_back({place / ld + 1, 0, right - ld, matrix.number});
  }
  std::sort(result.begin(), result.end(),
            [](const Rectangle& x, const Rectangle& y) { return x.top < y.top; });
  return result;
}

// Goes down the grid and keeps the rectangles that cross the present line, from left to right. A new
// rectangle can only overlap its neighbours there. All have the same height, so they end in the order in
// which they begin.
Two two_of_one_ld(Matrices matrices, const Shape& shape) {
  const std::vector<Rectangle> rectangles = rectangles_of(matrices, shape);
  std::map<std::int64_t, const Rectangle*> crossed;  // by left side
  auto leaves = rectangles.begin();
  for (const Rectangle& comes : rectangles) {
    for (; leaves->top + shape.lines <= comes.top; ++leaves) crossed.erase(leaves->left);
    const auto behind = crossed.upper_bound(comes.left);
    if (behind != crossed.end() && behind->first < comes.right)
      return in_order(behind->second->number, comes.number);
    if (behind != crossed.begin()) {
      const Rectangle& before = *std::prev(behind)->second;
      if (before.right > comes.left) return in_order(before.number, comes.number);
    }
    crossed.emplace_hint(behind, comes.left, &comes);
  }
  return std::nullopt;
}

// Goes through the memory line by line. If any two of the sorted lines overlap, then two neighbours do.
Two two_of_any_ld(Matrices matrices, const Shape& shape) {
  struct Line {
    std::int64_t begin;
    const PlacedMatrix* matrix;
    std::int64_t index;
    bool operator>(const Line& other) const { return begin > other.begin; }
  };
  std::priority_queue<Line, std::vector<Line>, std::greater<>> next;  // the next line of each matrix
  for (const PlacedMatrix& matrix : matrices) next.push({matrix.first, &matrix, 0});
  std::optional<Line> last;
  while (!next.empty()) {
    const Line line = next.top();
    next.pop();
    if (last && line.begin < last->begin + shape.length)
      return in_order(last->matrix->number, line.matrix->number);
    if (line.index + 1 < shape.lines)
      next.push({line.begin + as_signed(line.matrix->ld), line.matrix, line.index + 1});
    last = line;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> overlapping_two(std::vector<PlacedMatrix> matrices,
                                                                   std::size_t lines, std::size_t length) {
  if (lines == 0 || length == 0) return std::nullopt;
  const Shape shape{as_signed(lines), as_signed(length)};
  if (!std::is_sorted(matrices.begin(), matrices.end(), lies_before))
    std::sort(matrices.begin(), matrices.end(), lies_before);
  // Takes a group of matrices in which each begins before those in front of it have ended.
  for (auto begin = matrices.begin(); begin != matrices.end();) {
    std::int64_t reached = begin->first;
    auto end = begin;
    bool is_of_one_ld = true;
    while (end != matrices.end() && end->memory == begin->memory && (end == begin || end->first < reached)) {
      reached = std::max(reached, end->first + (shape.lines - 1) * as_signed(end->ld) + shape.length);
      is_of_one_ld = is_of_one_ld && end->ld == begin->ld;
      ++end;
    }
    if (end - begin > 1) {
      const Matrices among_each_other(begin, end);
      const Two found =
          is_of_one_ld ? two_of_one_ld(among_each_other, shape) : two_of_any_ld(among_each_other, shape);
      if (found) return found;
    }
    begin = end;
  }
  return std::nullopt;
}

void check_c_apart(std::vector<PlacedMatrix> matrices, const Lines& lines) {
  const auto found = overlapping_two(std::move(matrices), lines.count, lines.length);
  if (!found) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the matrices C of the batch overlap each other: those of GEMMs {} and {}",
                          found->first, found->second),
              Argument::c);
}

}  // namespace clgemm
