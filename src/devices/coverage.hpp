// Which elements of C are done, while several devices write them: what is left where one fails.
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

// Any number of threads may use one.
class Coverage {
 public:
  // What is done at a time are rows of a column of tiles, or of several.
  Coverage(std::size_t rows, std::size_t columns, std::size_t tile_columns);

  // `columns` begins where a tile does.
  void add(const Range& rows, const Range& columns);

  // What is not done: rectangles, whole rows in one piece where all of them is missing.
  std::vector<PartOfC> missing() const;

 private:
  using Done = std::vector<bool>;  // for each row

  // Adds the runs of rows that are not done.
  static void add_runs(const Done& done, const Range& columns, std::vector<PartOfC>& parts);

  std::size_t columns_;
  std::size_t tile_columns_;
  mutable std::mutex mutex_;
  std::vector<Done> done_;  // of each column of tiles
};

}  // namespace clgemm
