// The width and the colours for printing a table.
#pragma once

#include <cstddef>
#include <limits>
#include <ostream>

namespace clgemm::bench {

struct Terminal {
  std::size_t width = std::numeric_limits<std::size_t>::max();  // in characters
  bool colours = false;
};

// For standard output on a terminal, the width is COLUMNS, or else what the terminal reports. It has colours
// if NO_COLOR is not set and TERM is not "dumb". Any other stream has no limit and no colours.
Terminal terminal_of(const std::ostream& out);

}  // namespace clgemm::bench
