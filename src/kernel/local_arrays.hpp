// Arrays in local memory that a kernel's text declares, for devices that do not say what their compiler found
// (PoCL 6 says 0 bytes of arrays in functions, and ends the process at a launch where they do not fit).
#pragma once

#include <cstddef>
#include <string>

#include "kernel/config.hpp"

namespace clgemm {

// The bytes of the largest one: of several, some may be left out by an #if. `macros` are what the compiler
// gets; others are looked for in the text. What cannot be told counts for nothing, as does an array behind a
// pointer.
std::size_t largest_local_array(const std::string& source, const Parameters& macros);

}  // namespace clgemm
