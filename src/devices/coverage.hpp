// Records which elements of C are computed while several devices write them. If a device fails, the rest is
// known.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "call/gemm.hpp"

namespace clgemm {

struct PartOfC {
  Range rows;
  Range columns;
};

// Any number of threads may use the same object.
class Coverage {
 public:
  // A finished piece is a range of rows in one or several columns of tiles.
  Coverage(std::size_t rows, std::size_t columns, std::size_t tile_columns);

  // `columns` begins where a tile begins.
  void add(const Range& rows, const Range& columns);

  // Returns the missing parts as rectangles. If whole rows are missing, they are one rectangle.
  std::vector<PartOfC> missing() const;

 private:
  using Done = std::vector<bool>;  // for each row

  // Adds the runs of rows that are missing.
  static void add_runs(const Done& done, const Range& columns, std::vector<PartOfC>& parts);

  std::size_t columns_;
  std::size_t tile_columns_;
  mutable std::mutex mutex_;
  std::vector<Done> done_;  // for each column of tiles
};

}  // namespace clgemm
