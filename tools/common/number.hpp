// Reads numbers that users write.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace clgemm::bench {

// Returns the number that the whole text is, or nothing if it is something else.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace clgemm::bench
