// Divides C among the work-groups of a kernel that takes shares. The result depends only on the block, the
// kernel and the device.
#pragma once

#include <cstddef>

#include "call/problem.hpp"

namespace clgemm {

// A block of the problem, and the limits of a work-group's share of it.
struct SharedWork : GemmSize {
  std::size_t batch_count = 1;
  std::size_t tile_rows = 1;  // a share has at most these
  std::size_t tile_columns = 1;
  std::size_t share_rows = 1;  // a share is a multiple of these
  std::size_t share_columns = 1;
};

struct Share {
  std::size_t rows = 1;
  std::size_t columns = 1;
};

// Returns the work of a work-group for its share at each step of k, in elements of C. A work-group also
// prepares its columns of B for its rows, which costs as much as `rows_to_prepare` more rows would. The same
// applies to its rows of A.
double cost_of_share(const Share& share, double rows_to_prepare);

// Returns shares that keep all compute units busy until the end.
Share best_share(const SharedWork& work, std::size_t compute_units);

}  // namespace clgemm
