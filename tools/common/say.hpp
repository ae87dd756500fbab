// Messages of the programs on standard error.
#pragma once

#include <string>
#include <string_view>

namespace clgemm::bench {

// Writes "program: text" and a line feed. Control characters are written as in base/printable.hpp.
void say(std::string_view program, const std::string& text);

}  // namespace clgemm::bench
