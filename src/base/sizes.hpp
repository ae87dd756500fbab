// Arithmetic on sizes, where a division rounds up and a product may be too large for any memory.
#pragma once

#include <algorithm>
#include <cstddef>

namespace clgemm {

// How many parts of `part` make up `size`, the last of them shorter where they do not fit; `part` > 0.
constexpr std::size_t ceil_div(std::size_t size, std::size_t part) {
  return (size + part - 1) / part;
}

// Up to a multiple of `multiple`, which is > 0.
constexpr std::size_t round_up(std::size_t size, std::size_t multiple) {
  return ceil_div(size, multiple) * multiple;
}

// Stands for whatever is beyond any memory, so that sums of sizes do not overflow.
inline constexpr std::size_t beyond_memory = std::size_t{1} << 58;

// A product of sizes, at most beyond_memory.
constexpr std::size_t clamped_product(std::size_t x, std::size_t y) {
  std::size_t result = 0;
  return __builtin_mul_overflow(x, y, &result) ? beyond_memory : std::min(result, beyond_memory);
}

// Alignments, in floats: the widest vector that OpenCL C has, which a kernel may read packed operands by; and
// a whole cache line on every device that we know, where whatever lies in scratch begins.
inline constexpr std::size_t widest_vector = 16;
inline constexpr std::size_t cache_line = 64;

}  // namespace clgemm
