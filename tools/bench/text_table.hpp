// Aligned columns of text.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace clgemm::bench {

enum class Align { left, right };

struct TextColumn {
  std::string title;
  Align align = Align::right;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // A cell for each column.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // A first cell, and a text in place of all others.
  void add_remark(std::string first, std::string text) {
    rows_.push_back({std::move(first), std::move(text)});
  }

  void print(std::ostream& out) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// With four digits that count, never as 1e+03.
std::string format_figure(double value);

}  // namespace clgemm::bench
