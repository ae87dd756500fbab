#include "call/aliasing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

constexpr std::size_t max_pairs = 4096;  // pairs of a batch that are compared; with more, only neighbours are

std::int64_t extent_of(const Lines& lines) {
  return as_signed((lines.count - 1) * lines.ld + lines.length);
}

// Returns whether a range contains an element of a matrix. It goes from `begin` to before `end`, counted from
// the matrix's first element.
bool span_meets(std::int64_t begin, std::int64_t end, const Lines& lines) {
  begin = std::max<std::int64_t>(begin, 0);
  end = std::min(end, extent_of(lines));
  if (begin >= end) return false;
  const std::int64_t ld = as_signed(lines.ld);
  return begin % ld < as_signed(lines.length) || begin / ld < (end - 1) / ld;
}

// Compares matrices of different leading dimensions, with y at `distance` behind x. It goes through the lines
// of x, the matrix with fewer lines. A million lines take a few milliseconds, but only if one matrix is among
// the other's rows.
bool any_line_meets(const Lines& x, const Lines& y, std::int64_t distance) {
  for (std::size_t i = 0; i < x.count; ++i) {
    const std::int64_t begin = as_signed(i * x.ld) - distance;
    if (span_meets(begin, begin + as_signed(x.length), y)) return true;
  }
  return false;
}

// Compares two single matrices whose first elements are at a distance of `distance`, with y behind x.
bool overlap_at(const Lines& x, const Lines& y, std::int64_t distance) {
  if (distance >= extent_of(x) || -distance >= extent_of(y)) return false;
  if (x.ld != y.ld)
    return x.count <= y.count ? any_line_meets(x, y, distance) : any_line_meets(y, x, -distance);
  // Line i of x and line j of y begin at a distance of distance - (i - j) * ld. Only two values of i - j can
  // make that less than one line.
  const std::int64_t ld = as_signed(x.ld);
  const std::int64_t near = distance / ld;
  for (std::int64_t step = near - 1; step <= near + 1; ++step) {
    const std::int64_t gap = distance - step * ld;
    const bool lines_meet = step < as_signed(x.count) && -step < as_signed(y.count);
    if (lines_meet && gap < as_signed(x.length) && -gap < as_signed(y.length)) return true;
  }
  return false;
}

bool matrices_overlap(const Region& x, std::size_t i, const Region& y, std::size_t j) {
  const std::int64_t distance = y.first + as_signed(j * y.stride) - x.first - as_signed(i * x.stride);
  return overlap_at(x.lines, y.lines, distance);
}

bool is_empty(const Region& region) {
  return region.lines.count == 0 || region.lines.length == 0 || region.batch_count == 0;
}

}  // namespace

bool overlaps(const Region& x, const Region& y) {
  if (is_empty(x) || is_empty(y)) return false;
  const bool all_pairs = x.batch_count <= max_pairs / std::min(y.batch_count, max_pairs);
  for (std::size_t i = 0; i < x.batch_count; ++i) {
    const std::size_t first = all_pairs || i == 0 ? 0 : i - 1;
    const std::size_t last = all_pairs ? y.batch_count : std::min(i + 2, y.batch_count);
    for (std::size_t j = first; j < last; ++j) {
      if (matrices_overlap(x, i, y, j)) return true;
    }
  }
  return false;
}

bool overlaps_itself(const Region& x) {
  if (is_empty(x)) return false;
  // All pairs at the same distance are alike, so only pairs with the first matrix are compared. Matrices may
  // be interleaved: the first may miss the second and overlap a later one, up to the end of its own last
  // line.
  const auto extent = static_cast<std::size_t>(extent_of(x.lines));
  for (std::size_t i = 1; i < x.batch_count && i * x.stride < extent; ++i) {
    if (matrices_overlap(x, 0, x, i)) return true;
  }
  return false;
}

void check_batch_of_c(const Region& c) {
  if (c.stride == 0 || !overlaps_itself(c)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the matrices C of the batch overlap each other: stride_c is {}", c.stride),
              Argument::stride_c);
}

}  // namespace clgemm
