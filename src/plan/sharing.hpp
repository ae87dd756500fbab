// How the work-groups of a kernel that takes shares divide C among them, as a pure function of the block, the
// kernel and the device.
#pragma once

#include <cstddef>

namespace clgemm {

// A block of the problem, and what a work-group of the kernel may have of it.
struct SharedWork {
  std::size_t m = 1;
  std::size_t n = 1;
  std::size_t k = 1;
  std::size_t batch_count = 1;
  std::size_t tile_rows = 1;  // a share is no larger
  std::size_t tile_columns = 1;
  std::size_t share_rows = 1;  // and a multiple of these
  std::size_t share_columns = 1;
};

struct Share {
  std::size_t rows = 1;
  std::size_t columns = 1;
};

// What a work-group does for a share at each step of k, in elements of C: it also prepares its columns of B
// for its rows, which costs as much as so many rows more would, and its rows of A likewise.
double cost_of_share(const Share& share, double rows_to_prepare);

// Such shares as keep all compute units busy to the end.
Share best_share(const SharedWork& work, std::size_t compute_units);

}  // namespace clgemm
