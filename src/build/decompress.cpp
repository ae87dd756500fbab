#include "build/decompress.hpp"

#ifdef CLGEMM_HAS_ZSTD
#include <zstd.h>

#include <cstddef>
#endif

namespace clgemm {

#ifdef CLGEMM_HAS_ZSTD
std::string decompressed(std::string_view compressed) {
  constexpr unsigned long long most = 64 * 1024 * 1024;  // damaged data may claim any size
  const unsigned long long size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most) return {};
  std::string result(static_cast<std::size_t>(size), '\0');
  const std::size_t written =
      ZSTD_decompress(result.data(), result.size(), compressed.data(), compressed.size());
  return written == result.size() ? result : std::string{};
}
#else
std::string decompressed(std::string_view) {
  return {};
}
#endif

}  // namespace clgemm
