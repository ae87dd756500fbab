// `--new-kernel FILE`: a commented kernel that already passes, to begin from.
#pragma once

#include <string>

namespace clgemm::bench {

// Writes the template; the kernel's name is the file's. Throws Error(invalid_argument) where the file is
// there already or cannot be written.
void write_new_kernel(const std::string& path);

}  // namespace clgemm::bench
