// The functions that users call, read from the headers and from the source of the drop-in.
#pragma once

#include <set>
#include <string>

namespace clgemm::test {

// Of a C++ header: "Context::sgemm(Layout)", with the type of the first parameter, for overloads differ
// there.
std::set<std::string> functions_of_header(const std::string& text);

// Of the drop-in's entry points: "sgemm_".
std::set<std::string> functions_of_drop_in(const std::string& text);

// Says on the standard output which functions no path of the sweep covers, and which that it speaks of are
// none. True if there are none of either.
bool all_functions_are_covered(const std::string& source_folder);

}  // namespace clgemm::test
