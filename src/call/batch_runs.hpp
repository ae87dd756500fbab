// Batches of matrices at any place, as runs that lie evenly apart and so fit one launch.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <vector>

namespace clgemm {

// Matrices first, first + 1, ... first + count - 1 of each list.
struct BatchRun {
  std::size_t first = 0;
  std::size_t count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

// The longest runs from the front in which all of A, B and C stay in their buffers, keep their leading
// dimensions and go on by the same stride. Throws Error(invalid_argument) where the lists are not of one
// length.
std::vector<BatchRun> even_runs(const std::vector<DeviceMatrix>& a, const std::vector<DeviceMatrix>& b,
                                const std::vector<DeviceMatrix>& c);

}  // namespace clgemm
