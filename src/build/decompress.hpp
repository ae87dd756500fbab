// Decompression by zstd, if clgemm was built with it.
#pragma once

#include <string>
#include <string_view>

namespace clgemm {

// Returns the content of a zstd frame. Empty if the data is damaged, or if there is no zstd.
std::string decompressed(std::string_view compressed);

}  // namespace clgemm
