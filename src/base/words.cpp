#include "base/words.hpp"

#include <algorithm>
#include <charconv>

namespace clgemm {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool belongs_to_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> result;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t length = std::min(text.find_first_of(" \t"), text.size());
    result.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return result;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t end = text.find(separator);
    result.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !belongs_to_word(text[at - 1]);
    if (begins && (end == text.size() || !belongs_to_word(text[end]))) return true;
  }
  return false;
}

bool has_word_from(std::string_view text, std::string_view beginning) {
  for (std::size_t at = text.find(beginning); at != std::string_view::npos;
       at = text.find(beginning, at + 1)) {
    if (at == 0 || !belongs_to_word(text[at - 1])) return true;
  }
  return false;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), belongs_to_word);
}

}  // namespace clgemm
