#include "measuring/guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace clgemm::bench {
namespace {

constexpr std::uint32_t guard_bits = 0x7fc0a5a5;

bool is_untouched(float element) {
  return std::bit_cast<std::uint32_t>(element) == guard_bits;
}

}  // namespace

std::size_t guard_elements(const SgemmCall& call) {
  constexpr std::size_t lines = 256;
  constexpr std::size_t least = 1024;
  constexpr std::size_t most = std::size_t{1} << 20;
  return std::clamp(lines * call.ldc, least, most);
}

float guard_element() {
  return std::bit_cast<float>(guard_bits);
}

std::size_t offset_of(const Lines& lines) {
  return lines.ld > lines.length ? lines.ld : 0;
}

std::string damage_around_c(const SgemmCall& call, std::span<const float> memory) {
  const Lines lines = lines_of_c(call);
  const std::size_t offset = offset_of(lines);
  if (!std::all_of(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(offset), is_untouched))
    return "wrote outside C: before its start";
  memory = memory.subspan(offset);
  const std::size_t count = lines.count * call.batch_count;
  const char* const line_name = call.layout == Layout::row_major ? "row" : "column";
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t i = lines.length; i < lines.ld; ++i) {
      if (is_untouched(memory[line * lines.ld + i])) continue;
      return fmt::format("wrote outside C: element {} of the gap after {} {}", i - lines.length, line_name,
                         line);
    }
  }
  for (std::size_t i = count * lines.ld; i < memory.size(); ++i) {
    if (!is_untouched(memory[i]))
      return fmt::format("wrote outside C: element {} after its end", i - count * lines.ld);
  }
  return {};
}

}  // namespace clgemm::bench
