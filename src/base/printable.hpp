// Makes text from other sources safe for a terminal or a log: names of devices, kernels and files, values of
// environment variables, and compiler logs. Control characters in it could move the cursor, change colours,
// or end the line and begin one that looks like a line of clgemm.
#pragma once

#include <string>
#include <string_view>

namespace clgemm {

// Returns one line: control characters, and bytes that are not UTF-8, are written as "\x1b" or "\n".
std::string printable(std::string_view text);

// Does the same for a message of several lines. Line feeds and tabs stay. Each line except the first begins
// with a space, so that it cannot be mistaken for another message.
std::string printable_lines(std::string_view text);

}  // namespace clgemm
