// Whether matrices share memory: C must not overlap A, B or, in a batch, another C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "call/problem.hpp"

namespace clgemm {

// Where a matrix, or a batch of them, lies: `lines`, and the address of the first element, counted in
// elements from any common origin.
struct Region {
  std::int64_t first = 0;
  Lines lines;
  std::size_t batch_count = 1;
  std::size_t stride = 0;
};

// True where some element of x is also one of y. In large batches only neighbours are compared.
bool overlaps(const Region& x, const Region& y);

// True where two matrices of one batch overlap each other.
bool overlaps_itself(const Region& x);

// Throws Error(invalid_argument) if the matrices C of a strided batch overlap each other. One C for all is a
// sum (call/gemm.hpp).
void check_batch_of_c(const Region& c);

}  // namespace clgemm
