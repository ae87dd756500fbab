#include "common/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.hpp"

namespace clgemm::bench {
namespace {

constexpr std::size_t gap = 2;

// Words that have a colour. They have the same meaning without it.
struct ColouredWord {
  std::string_view word;
  const char* code;
};
constexpr ColouredWord coloured_words[] = {
    {"PASSED", "32"}, {"FAILED", "1;31"}, {"SLOWER", "1;31"}, {"FAILS NOW", "1;31"}, {"faster", "32"}};
constexpr const char* marked_code = "1";

std::string padded(const std::string& text, std::size_t width, Align align) {
  return align == Align::left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string coloured(const std::string& text, std::string_view code) {
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

// `text` is the printed cell, with the spaces around it.
std::string with_colour(const std::string& cell, const std::string& text, bool marked) {
  for (const ColouredWord& word : coloured_words) {
    if (cell.compare(0, word.word.size(), word.word) == 0) return coloured(text, word.code);
  }
  return marked ? coloured(text, marked_code) : text;
}

}  // namespace

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    if (!cell.empty()) line += ' ';
    for (const char character : printable(cell)) {
      if (character == '|') line += '\\';
      line += character;
    }
    line += " |";
  }
  return line + '\n';
}

void TextTable::print_markdown(std::ostream& out) const {
  std::vector<std::string> titles;
  std::string rule = "|";
  for (const TextColumn& column : columns_) {
    titles.push_back(column.title);
    rule += column.align == Align::left ? "---|" : "--:|";
  }
  out << markdown_line(titles) << rule << '\n';
  for (const Row& row : rows_) {
    if (!row.is_remark) out << markdown_line(row.cells);
  }
}

void TextTable::add(const std::vector<std::string>& cells, bool is_remark) {
  Row& row = rows_.emplace_back(Row{{}, is_remark, false});
  for (const std::string& cell : cells) row.cells.push_back(printable(cell));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns_) widths.push_back(column.title.size());
  for (const Row& row : rows_) {
    const std::size_t cells = row.is_remark ? 1 : row.cells.size();
    for (std::size_t i = 0; i < cells; ++i) widths[i] = std::max(widths[i], row.cells[i].size());
  }
  return widths;
}

std::vector<std::size_t> TextTable::shown_columns(const std::vector<std::size_t>& widths,
                                                  std::size_t room) const {
  std::vector<std::size_t> shown(columns_.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  const auto needed = [&] {
    std::size_t sum = 0;
    for (const std::size_t column : shown) sum += widths[column] + gap;
    return sum - gap;
  };
  while (shown.size() > 1 && needed() > room) {
    const auto least = std::max_element(
        shown.begin(), shown.end(),
        [this](std::size_t one, std::size_t other) { return columns_[one].rank < columns_[other].rank; });
    if (columns_[*least].rank == 0) break;
    shown.erase(least);
  }
  return shown;
}

std::string TextTable::line_of(const Row& row, const std::vector<std::size_t>& widths,
                               const std::vector<std::size_t>& shown, bool colours) const {
  std::string line;
  const auto add = [&](const std::string& cell, const std::string& text) {
    line += (colours ? with_colour(cell, text, row.marked) : text) + std::string(gap, ' ');
  };
  if (row.is_remark) {
    add(row.cells[0], padded(row.cells[0], widths[0], columns_[0].align));
    add(row.cells[1], row.cells[1]);
  } else {
    for (const std::size_t i : shown) add(row.cells[i], padded(row.cells[i], widths[i], columns_[i].align));
  }
  return without_trailing_spaces(line);
}

void TextTable::print(std::ostream& out, const Terminal& terminal) const {
  const std::vector<std::size_t> all_widths = widths();
  const std::vector<std::size_t> shown = shown_columns(all_widths, terminal.width);
  Row titles{{}, false, false};
  for (const TextColumn& column : columns_) titles.cells.push_back(column.title);
  out << line_of(titles, all_widths, shown, false) << '\n';
  for (const Row& row : rows_) out << line_of(row, all_widths, shown, terminal.colours) << '\n';
}

}  // namespace clgemm::bench
