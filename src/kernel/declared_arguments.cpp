#include "kernel/declared_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "kernel/contract.hpp"
#include "kernel/kernel_arguments.hpp"

namespace clgemm {
namespace {

// Returns the text with single spaces, and none at the ends.
std::string tidy(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return fmt::format("{}", fmt::join(words, " "));
}

// Returns the position of the bracket behind `void NAME`; npos if there is none.
std::size_t bracket_behind(const std::string& text, std::string_view name) {
  constexpr const char* spaces = " \t\r\n";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t before = at == 0 ? std::string::npos : text.find_last_not_of(spaces, at - 1);
    const bool is_function = before != std::string::npos && before + 1 != at && before >= 3 &&
                             text.compare(before - 3, 4, "void") == 0;
    const std::size_t behind = text.find_first_not_of(spaces, at + name.size());
    if (is_function && behind != std::string::npos && text[behind] == '(') return behind;
  }
  return std::string::npos;
}

}  // namespace

std::optional<DeclaredArgument> declared_argument(const KernelFile& file, std::size_t number) {
  const std::string text = without_comments(file.source);
  std::size_t at = bracket_behind(text, contract_of(file.manifest.role).function);
  if (at == std::string::npos) return std::nullopt;
  std::vector<std::size_t> marks = {at};  // the opening bracket, each comma, the closing bracket
  for (int depth = 1; depth > 0;) {
    if (++at == text.size() || text[at] == '#') return std::nullopt;
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth == 0 || (depth == 1 && text[at] == ',')) marks.push_back(at);
  }
  if (marks.size() != number_of_arguments(file.manifest) + 1 || number + 1 >= marks.size())
    return std::nullopt;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n", marks[number] + 1), marks[number + 1]);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return DeclaredArgument{tidy(text.substr(begin, marks[number + 1] - begin)),
                          with_written_places(fmt::format("<kernel>:{}", line), file.source)};
}

}  // namespace clgemm
