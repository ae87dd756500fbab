#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clgemm::bench {
namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
  return align == Align::left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void TextTable::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns_) widths.push_back(column.title.size());
  for (const auto& row : rows_) {
    if (row.size() != columns_.size()) {
      widths[0] = std::max(widths[0], row[0].size());
      continue;
    }
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    line += padded(columns_[i].title, widths[i], columns_[i].align) + "  ";
  }
  out << without_trailing_spaces(line) << '\n';
  for (const auto& row : rows_) {
    const bool is_remark = row.size() != columns_.size();
    line.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool as_it_is = is_remark && i == 1;
      line += (as_it_is ? row[i] : padded(row[i], widths[i], columns_[i].align)) + "  ";
    }
    out << without_trailing_spaces(line) << '\n';
  }
}

std::string format_figure(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::fabs(value);
  const int digits_before = magnitude < 10.0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 4 - digits_before));
}

}  // namespace clgemm::bench
