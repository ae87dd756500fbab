// Lists of configs as a manifest writes them: "BM BN: 64 128, 128 64; BK: 8, 16" is four of them, "defaults"
// is one.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/manifest.hpp"

namespace clgemm {

// Returns the values of each config. Groups between semicolons are multiplied out; the last one goes fastest.
// Throws Error(invalid_kernel_file): "'found': reason".
std::vector<Parameters> parse_config_list(std::string_view text);

}  // namespace clgemm
