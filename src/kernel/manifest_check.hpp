// What can only be said of a manifest once all of its lines have been read. Layer 1.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "kernel/manifest.hpp"

namespace clgemm {

// Throws Error(invalid_kernel_file): "path:line: 'found': reason".
[[noreturn]] void fail_in_manifest(const std::string& path, int line, std::string_view reason,
                                   std::string_view found);

// Checks that the keys which stand in the manifest belong together, and that every name in it is known.
void check_manifest(const Manifest& manifest, const std::set<std::string>& keys, const std::string& path);

}  // namespace clgemm
