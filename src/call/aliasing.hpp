// Finds out whether matrices share memory: C must not overlap A, B or, in a batch, another C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "call/problem.hpp"

namespace clgemm {

// The place of a matrix, or of a batch of matrices: `lines`, and the address of the first element, counted in
// elements from a common origin.
struct Region {
  std::int64_t first = 0;
  Lines lines;
  std::size_t batch_count = 1;
  std::size_t stride = 0;
};

// Returns true if x and y share an element. In large batches only neighbours are compared.
bool overlaps(const Region& x, const Region& y);

// Returns true if two matrices of one batch overlap each other.
bool overlaps_itself(const Region& x);

// Throws Error(invalid_argument) if the matrices C of a strided batch overlap each other. One C for all is
// allowed; it is a sum (call/gemm.hpp).
void check_batch_of_c(const Region& c);

}  // namespace clgemm
