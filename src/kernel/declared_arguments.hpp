// How a kernel's text declares the arguments of its function, for messages: a compiled program tells it only
// if it was compiled for that, and one from the cache was not.
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
// macros or an #if stand among the arguments, so that the text alone does not tell which one it is.
std::optional<DeclaredArgument> declared_argument(const KernelFile& file, std::size_t number);

}  // namespace clgemm
