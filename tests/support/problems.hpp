// Problems for plans that are made without a device.
#pragma once

#include "call/problem.hpp"

namespace clgemm::test {

constexpr std::size_t no_limit = std::size_t{1} << 31;  // no limit for scratch

// Returns a problem without gaps, with the alignment of every buffer.
inline Problem tight(std::size_t m, std::size_t n, std::size_t k) {
  Problem problem{{m, n, k}, 1, 0, {}, {}, {}, 1};
  problem.a = {false, k, 0, 0, 32};
  problem.b = {false, n, 0, 0, 32};
  problem.c = {false, n, 0, 0, 32};
  return problem;
}

// Returns a batch of them, without gaps between matrices.
inline Problem tight_batch(std::size_t count, std::size_t m, std::size_t n, std::size_t k) {
  Problem problem = tight(m, n, k);
  problem.batch_count = count;
  problem.a.stride = m * k;
  problem.b.stride = k * n;
  problem.c.stride = m * n;
  return problem;
}

}  // namespace clgemm::test
