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
  // If there is not enough room, columns of the highest rank are dropped first. Those of rank 0 stay.
  int rank = 0;
};

// Returns "| a | b |". A bar in a cell is escaped, and so are control characters.
std::string markdown_line(const std::vector<std::string>& cells);

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // Adds a cell for each column. Cells may contain anything, because their control characters are escaped.
  void add_row(const std::vector<std::string>& cells) { add(cells, false); }

  // Adds a first cell, and a text instead of all others.
  void add_remark(const std::string& first, const std::string& text) { add({first, text}, true); }

  // Highlights the last row. This is visible only on a terminal, so words must say it, too.
  void mark_last_row() { rows_.back().marked = true; }

  // Prints with the width and the colours of the stream's terminal.
  void print(std::ostream& out) const { print(out, terminal_of(out)); }
  void print(std::ostream& out, const Terminal& terminal) const;

  // Prints all columns as a table in Markdown, without remarks.
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
