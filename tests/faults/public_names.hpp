// The functions that users call, read from the headers and from the source of the drop-in.
#pragma once

#include <set>
#include <string>

namespace clgemm::test {

// Returns the functions of a C++ header: "Context::sgemm(Layout)", with the type of the first parameter,
// because overloads differ in it.
std::set<std::string> functions_of_header(const std::string& text);

// Returns the entry points of the drop-in: "sgemm_".
std::set<std::string> functions_of_drop_in(const std::string& text);

// Writes to standard output which functions no path of the sweep covers, and which covered ones do not exist.
// Returns true if there are none of either.
bool all_functions_are_covered(const std::string& source_folder);

}  // namespace clgemm::test
