// Parses lists of configs in a manifest: "BM BN: 64 128, 128 64; BK: 8, 16" is a list of four, "defaults" a
// list of one.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/manifest.hpp"

namespace clgemm {

// Returns the values of each config. All combinations of the groups between semicolons are made; the last
// group varies fastest. Throws Error(invalid_kernel_file): "'found': reason".
std::vector<Parameters> parse_config_list(std::string_view text);

}  // namespace clgemm
