// `--new-kernel FILE`: writes a commented kernel that already passes, as a starting point.
#pragma once

#include <string>

namespace clgemm::bench {

// Writes the template. The kernel gets the name of the file. Throws Error(invalid_argument) if the file
// exists already or cannot be written.
void write_new_kernel(const std::string& path);

}  // namespace clgemm::bench
