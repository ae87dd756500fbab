#include "kernel/local_arrays.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "kernel/expression.hpp"
#include "kernel/kernel_source.hpp"

namespace clgemm {
namespace {

constexpr int most_macros_deep = 16;

bool is_of_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

// Reads words, marks and the text in brackets.
class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::string word() {
    pass_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool pass(char mark) {
    pass_spaces();
    if (at_ == text_.size() || text_[at_] != mark) return false;
    ++at_;
    return true;
  }

  std::string until(char mark) {
    const std::size_t begin = std::min(at_, text_.size());
    at_ = std::min(text_.find(mark, begin), text_.size());
    return std::string(text_.substr(begin, at_++ - begin));
  }

 private:
  void pass_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string_view text_;
  std::size_t at_;
};

// The meanings of names: the value of a parameter, or the text of a `#define NAME text`.
class Names {
 public:
  Names(const std::string& text, const Parameters& macros) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      Reader reader(line, 0);
      if (!reader.pass('#') || reader.word() != "define") continue;
      const std::string name = reader.word();
      texts_.emplace(name, reader.until('\n'));
    }
    for (const auto& [name, value] : macros) texts_[name] = std::to_string(value);
  }

  // Throws an Error if the value is unknown.
  std::int64_t value_of(const std::string& expression, int deep = 0) const {
    if (deep > most_macros_deep)
      throw Error(ErrorCode::invalid_kernel_file, "macros that refer to each other in a cycle");
    return Expression::parse(expression).evaluate([&](const std::string& name) {
      const auto found = texts_.find(name);
      if (found == texts_.end()) throw Error(ErrorCode::invalid_kernel_file, "unknown: " + name);
      return value_of(found->second, deep + 1);
    });
  }

  // Returns 1 if the type is unknown.
  std::size_t bytes_of(std::string type) const {
    for (int deep = 0; deep < most_macros_deep && texts_.count(type) != 0; ++deep)
      type = Reader(texts_.at(type), 0).word();
    static const auto* const known = new std::map<std::string, std::size_t>{
        {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},   {"int", 4},
        {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}, {"size_t", 8}};
    const std::size_t digits = type.find_first_of("0123456789");
    const auto scalar = known->find(type.substr(0, digits));
    if (scalar == known->end()) return 1;
    if (digits == std::string::npos) return scalar->second;
    const auto width = std::strtoul(type.c_str() + digits, nullptr, 10);
    return scalar->second * (width == 3 ? 4 : std::clamp<std::size_t>(width, 1, 16));
  }

 private:
  std::map<std::string, std::string> texts_;
};

// Reads `[ROWS][COLUMNS + 1]` behind a name and returns the number of elements. Returns 0 if it is not an
// array, or if its size is unknown.
std::size_t read_elements(Reader& reader, const Names& names) {
  std::size_t elements = 0;
  while (reader.pass('[')) {
    try {
      const std::int64_t count = names.value_of(reader.until(']'));
      const std::size_t before = elements == 0 ? 1 : elements;
      if (count <= 0 || __builtin_mul_overflow(before, static_cast<std::size_t>(count), &elements)) return 0;
    } catch (const Error&) {
      return 0;
    }
  }
  return elements;
}

// Reads the declaration behind the word `local`: the type, and one array or several.
std::size_t largest_declared(Reader reader, const Names& names) {
  std::string type = reader.word();
  while (type == "const" || type == "volatile" || type == "unsigned" || type == "signed")
    type = reader.word();
  const std::size_t bytes = names.bytes_of(type);
  std::size_t largest = 0;
  while (!reader.word().empty()) {  // the name of the array; with a star, it is a pointer
    std::size_t all = 0;
    if (!__builtin_mul_overflow(read_elements(reader, names), bytes, &all)) largest = std::max(largest, all);
    if (!reader.pass(',')) break;
  }
  return largest;
}

}  // namespace

std::size_t largest_local_array(const std::string& source, const Parameters& macros) {
  const std::string text = without_comments(source);
  const Names names(text, macros);
  constexpr std::string_view word = "local";
  std::size_t largest = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    std::size_t begin = at;
    while (begin > 0 && is_of_word(text[begin - 1])) --begin;
    const std::string_view before(text.data() + begin, at - begin);
    const bool is_word = (before.empty() || before == "__") && (end == text.size() || !is_of_word(text[end]));
    if (is_word) largest = std::max(largest, largest_declared(Reader(text, end), names));
  }
  return largest;
}

}  // namespace clgemm
