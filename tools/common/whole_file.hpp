// Files that are written whole or not at all.
#pragma once

#include <string>

namespace clgemm::bench {

// Whether write_whole() could write there; errno says why not. What is there stays, what is not there is not
// made.
bool can_write(const std::string& path);

// What is there stays as it was until all of the text lies beside it, as FILE.new, which then takes its name
// and its rights; where nothing can be made beside it, it is overwritten. Links are followed, and what is no
// regular file (a pipe, /dev/full) is written straight. Throws std::runtime_error, which says why, and leaves
// no FILE.new.
void write_whole(const std::string& path, const std::string& text);

}  // namespace clgemm::bench
