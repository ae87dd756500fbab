// Files that the user names: read whole, and written whole or not at all.
#pragma once

#include <string>

namespace clgemm::bench {

// Returns the text of a regular file, as read_file() in base/files.hpp reads it. Throws std::runtime_error,
// which says why not.
std::string read_whole(const std::string& path);

// Whether write_whole() could write there; errno says why not. What is there stays, what is not there is not
// made.
bool can_write(const std::string& path);

// Writes the file as replace_file() in base/files.hpp does, so that it stays as it was until all of the text
// lies beside it. If nothing can be made beside it, it is overwritten. Links are followed, and a pipe or a
// device is written straight. Throws std::runtime_error, which says why.
void write_whole(const std::string& path, const std::string& text);

}  // namespace clgemm::bench
