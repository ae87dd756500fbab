#include "common/size.hpp"

#include <fmt/format.h>

#include <vector>

#include "common/number.hpp"
#include "common/usage_error.hpp"

namespace clgemm::bench {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::size_t parse_side(std::string_view part, std::string_view whole) {
  const std::optional<std::size_t> side = number_in<std::size_t>(part);
  if (!side || *side == 0 || *side > largest_side) {
    throw UsageError(
        fmt::format("'{}' is not a size: expected N or MxNxK, numbers from 1 to {}", whole, largest_side));
  }
  return *side;
}

}  // namespace

Size parse_size(std::string_view text) {
  std::vector<std::size_t> sides;
  for (const std::string_view part : split(text, 'x')) sides.push_back(parse_side(part, text));
  if (sides.size() == 1) return {sides[0], sides[0], sides[0]};
  if (sides.size() == 3) return {sides[0], sides[1], sides[2]};
  throw UsageError(fmt::format("'{}' is not a size: expected N or MxNxK", text));
}

std::string to_string(const Size& size) {
  return fmt::format("{} x {} x {}", size.m, size.n, size.k);
}

double operations(const Size& size) {
  return 2.0 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
}

}  // namespace clgemm::bench
