// Arithmetic on sizes: divisions that round up, and products that may be too large for any memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace clgemm {

// Returns how many parts of size `part` cover `size`. The last part is shorter if they do not fit exactly;
// `part` > 0.
constexpr std::size_t ceil_div(std::size_t size, std::size_t part) {
  return (size + part - 1) / part;
}

// Rounds up to a multiple of `multiple`, which is > 0.
constexpr std::size_t round_up(std::size_t size, std::size_t multiple) {
  return ceil_div(size, multiple) * multiple;
}

// A size larger than any memory. Sums of such sizes do not overflow.
inline constexpr std::size_t beyond_memory = std::size_t{1} << 58;

// Returns a product of sizes, at most beyond_memory.
constexpr std::size_t clamped_product(std::size_t x, std::size_t y) {
  std::size_t result = 0;
  return __builtin_mul_overflow(x, y, &result) ? beyond_memory : std::min(result, beyond_memory);
}

// For differences of sizes, which may be negative.
constexpr std::int64_t as_signed(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

// Alignments, in floats. The first is the widest vector of OpenCL C, with which a kernel may read packed
// operands. The second is a whole cache line on every device that we know; everything in scratch begins at a
// multiple of it.
inline constexpr std::size_t widest_vector = 16;
inline constexpr std::size_t cache_line = 64;

}  // namespace clgemm
