// The terminal behind standard output or standard error.
#pragma once

#include <cstddef>

namespace clgemm {

enum class Stream { output, error };

// Returns whether the stream is a terminal. On Windows, it also switches on colours and other escape
// sequences.
bool is_terminal(Stream stream);

// Returns the line length of the terminal at standard output; 0 if there is no terminal or it does not report
// it.
std::size_t terminal_columns();

}  // namespace clgemm
