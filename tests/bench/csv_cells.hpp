// Counts the cells in the lines of a CSV file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace clgemm::test {

// Returns the count for each line. Commas between quotes do not end a cell, because a device's name may have
// one.
inline std::vector<std::ptrdiff_t> cells_of_lines(const std::string& csv) {
  static const std::regex quoted("\"[^\"]*\"");
  std::istringstream lines(csv);
  std::vector<std::ptrdiff_t> cells;
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, quoted, "");
    cells.push_back(1 + std::count(line.begin(), line.end(), ','));
  }
  return cells;
}

}  // namespace clgemm::test
