// Text that comes from elsewhere (names of devices, kernels and files, values of environment variables,
// compilers' logs), as it may go to a terminal or a log. Its control characters would move the cursor, change
// colours, or end the line and begin one that looks like ours.
#pragma once

#include <string>
#include <string_view>

namespace clgemm {

// One line: control characters, and bytes that are not UTF-8, are written as "\x1b" or "\n".
std::string printable(std::string_view text);

// The same for a message of several lines. Line feeds and tabs stay, and each line but the first begins with
// a space, so that none can be taken for another message.
std::string printable_lines(std::string_view text);

}  // namespace clgemm
