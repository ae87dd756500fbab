// Parses the comment block at the head of a kernel file into its manifest.
#pragma once

#include <string>
#include <string_view>

#include "kernel/manifest.hpp"

namespace clgemm {

// Parses the head of a kernel file. `path` is only for messages. Throws an Error(invalid_kernel_file) with
// path:line, the wrong text, and what was expected.
Manifest parse_manifest(std::string_view source, const std::string& path);

}  // namespace clgemm
