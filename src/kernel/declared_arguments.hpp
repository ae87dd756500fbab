// Finds the declarations of a kernel function's arguments in its text, for messages. A compiled program has
// them only if it was compiled for that, and a program from the cache was not.
#pragma once

#include <optional>
#include <string>

#include "kernel/kernel_file.hpp"

namespace clgemm {

struct DeclaredArgument {
  std::string text;   // "const uint a_offset"
  std::string place;  // "mine.cl:29"
};

// Returns the declaration of an argument of the file's kernel function, counted from 0. Returns nullopt if
// there are macros or an #if among the arguments, because then the text alone does not show which argument it
// is.
std::optional<DeclaredArgument> declared_argument(const KernelFile& file, std::size_t number);

}  // namespace clgemm
