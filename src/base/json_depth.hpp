// A bound on JSON from files that anybody may have written.
#pragma once

#include <string_view>

namespace clgemm {

// Whether arrays and objects lie in each other deeper than any that clgemm writes. What goes through JSON
// calls itself for each level, and would overflow the stack.
bool is_nested_too_deeply(std::string_view json);

}  // namespace clgemm
