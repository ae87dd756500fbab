#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace clgemm {
namespace {

struct Letter {
  std::size_t bytes;
  std::uint32_t code;  // in Unicode
};

constexpr Letter no_letter{0, 0};

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// Returns the first letter of a UTF-8 text.
Letter first_letter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {1, first};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return no_letter;
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text, i)) return no_letter;
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {bytes, code};
}

// Returns whether a character acts on the terminal instead of being visible: control characters, and
// characters that end a line or change the writing direction.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  std::string result;
  for (const char byte : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return result;
}

// Escapes control characters, except the letters in `kept`.
std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const std::string_view bytes = text.substr(0, letter.bytes == 0 ? 1 : letter.bytes);
    const bool is_seen = letter.bytes != 0 && (!is_control(letter.code) || kept.find(bytes) != kept.npos);
    result += is_seen ? std::string(bytes) : escaped(bytes);
    text.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escape_controls(text, "");
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = text.substr(begin, end - begin);
    const bool is_indented = begin == 0 || line.empty() || line.front() == ' ';
    result += (is_indented ? "" : "  ") + escape_controls(line, "\t");
    if (end == std::string_view::npos) break;
    result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace clgemm
