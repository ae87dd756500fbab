// Reads files that the user names, and writes them completely or not at all.
#pragma once

#include <string>

namespace clgemm::bench {

// Returns the text of a regular file, like read_file() in base/files.hpp. Throws std::runtime_error with the
// reason.
std::string read_whole(const std::string& path);

// Returns true if write_whole() could write there. Otherwise, errno has the reason. It neither changes a file
// nor makes one.
bool can_write(const std::string& path);

// Writes the file like replace_file() in base/files.hpp, so the old file stays until the new text is complete
// beside it. If no file can be made beside it, it is overwritten. Links are followed. A pipe or a device is
// written directly. Throws std::runtime_error with the reason.
void write_whole(const std::string& path, const std::string& text);

}  // namespace clgemm::bench
