// The terminal that standard output or standard error may be.
#pragma once

#include <cstddef>

namespace clgemm {

enum class Stream { output, error };

// On Windows, the terminal then understands colours and the like, too.
bool is_terminal(Stream stream);

// The characters of a line of the terminal that is standard output; 0 if that is none, or does not say.
std::size_t terminal_columns();

}  // namespace clgemm
