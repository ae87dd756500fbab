// The size of a GEMM as a user writes it: "1024" or "1000x37x129".
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace clgemm::bench {

// C is m x n, and each element is the sum of k products.
struct Size {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;

  bool operator==(const Size&) const = default;
};

// Kernels are tried at this size. No side is a multiple of a tile's. A kernel that exchanges rows and columns
// of tiles is wrong there, because there are more tiles across than down.
inline constexpr Size odd_size{67, 197, 33};

// With this limit, products of two sides fit 64 bits, also in bytes.
inline constexpr std::size_t largest_side = std::numeric_limits<int>::max();

// Reads a size; "N" is N x N x N. Throws UsageError.
Size parse_size(std::string_view text);

// "1000 x 37 x 129"
std::string to_string(const Size& size);

// Returns the floating-point operations of one GEMM: a product and a sum for each of m * n * k.
double operations(const Size& size);

}  // namespace clgemm::bench
