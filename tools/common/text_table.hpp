// Aligned columns of text.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "common/terminal.hpp"

namespace clgemm::bench {

enum class Align { left, right };

struct TextColumn {
  std::string title;
  Align align = Align::right;
  int rank = 0;  // where there is no room, columns of the highest rank go first; those of rank 0 never go
};

// "| a | b |": a bar in a cell is escaped, and so are control characters.
std::string markdown_line(const std::vector<std::string>& cells);

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // A cell for each column. Cells may hold anything: their control characters are escaped.
  void add_row(const std::vector<std::string>& cells) { add(cells, false); }

  // A first cell, and a text in place of all others.
  void add_remark(const std::string& first, const std::string& text) { add({first, text}, true); }

  // The last row is the one to look at. Shown on a terminal only: words must say it, too.
  void mark_last_row() { rows_.back().marked = true; }

  // As wide and as coloured as the stream's terminal allows.
  void print(std::ostream& out) const { print(out, terminal_of(out)); }
  void print(std::ostream& out, const Terminal& terminal) const;

  // With all columns and without remarks, as a table of Markdown.
  void print_markdown(std::ostream& out) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool is_remark;
    bool marked;
  };

  void add(const std::vector<std::string>& cells, bool is_remark);
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths, std::size_t room) const;
  std::string line_of(const Row& row, const std::vector<std::size_t>& widths,
                      const std::vector<std::size_t>& shown, bool colours) const;

  std::vector<TextColumn> columns_;
  std::vector<Row> rows_;
};

}  // namespace clgemm::bench
