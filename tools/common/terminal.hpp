// Where a table is printed: how wide it may be, and whether in colours.
#pragma once

#include <cstddef>
#include <limits>
#include <ostream>

namespace clgemm::bench {

struct Terminal {
  std::size_t width = std::numeric_limits<std::size_t>::max();  // in characters
  bool colours = false;
};

// For standard output on a terminal: COLUMNS, else what the terminal says, and colours where NO_COLOR is not
// set and TERM is not "dumb". For anything else no limit and no colours.
Terminal terminal_of(const std::ostream& out);

}  // namespace clgemm::bench
