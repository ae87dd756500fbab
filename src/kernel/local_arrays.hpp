// Finds the arrays in local memory that a kernel's text declares. Some devices do not report what their
// compiler found. (PoCL 6 reports 0 bytes for arrays in functions, and ends the process at a launch if they
// do not fit.)
#pragma once

#include <cstddef>
#include <string>

#include "kernel/config.hpp"

namespace clgemm {

// Returns the bytes of the largest array. The others are not added, because an #if may exclude some of them.
// `macros` are those that the compiler gets; other macros are searched in the text. An array of unknown size
// counts as zero, as does an array behind a pointer.
std::size_t largest_local_array(const std::string& source, const Parameters& macros);

}  // namespace clgemm
