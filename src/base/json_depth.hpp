// A limit for JSON from files that anybody may have written.
#pragma once

#include <string_view>

namespace clgemm {

// Returns whether arrays and objects are nested more deeply than in any file that clgemm writes. Functions on
// JSON recurse into each level and would overflow the stack.
bool is_nested_too_deeply(std::string_view json);

}  // namespace clgemm
