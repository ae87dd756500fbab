// What the programs tell on standard error.
#pragma once

#include <string>
#include <string_view>

namespace clgemm::bench {

// Writes "program: text" and a line feed, with control characters as base/printable.hpp writes them.
void say(std::string_view program, const std::string& text);

}  // namespace clgemm::bench
