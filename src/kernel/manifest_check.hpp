// Checks a manifest after all of its lines have been read.
#pragma once

#include <set>
#include <string>

#include "kernel/manifest.hpp"

namespace clgemm {

// Throws Error(invalid_kernel_file). Checks that the keys in the manifest fit together, and that every name
// in it is known.
void check_manifest(const Manifest& manifest, const std::set<std::string>& keys, const std::string& path);

}  // namespace clgemm
