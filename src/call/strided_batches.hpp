// Divides batches of matrices at any place into groups, which one launch computes from a list, and into
// strided batches, whose matrices are at a constant distance, so they need no list.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <vector>

namespace clgemm {

// The length of each list of a batch.
struct ListLengths {
  std::size_t alphas, a, b, betas, c;
};

// Throws Error(invalid_argument) if the lists have different lengths. Those of alphas and betas may be 1.
void check_lengths(const ListLengths& lists);

// The lists of a call, as the caller gives them.
struct BatchLists {
  const std::vector<float>& alphas;
  const std::vector<DeviceMatrix>& a;
  const std::vector<DeviceMatrix>& b;
  const std::vector<float>& betas;
  const std::vector<DeviceMatrix>& c;

  ListLengths lengths() const { return {alphas.size(), a.size(), b.size(), betas.size(), c.size()}; }

  // Return the factor of GEMM i: its own, or the one for all.
  float alpha(std::size_t i) const { return alphas[alphas.size() == 1 ? 0 : i]; }
  float beta(std::size_t i) const { return betas[betas.size() == 1 ? 0 : i]; }
};

// Indices of GEMMs in the lists. The GEMMs of a group have the same buffers and leading dimensions. In a
// group, alpha is 0 for all GEMMs or for none, because A and B are not read if it is 0. A group has no more
// GEMMs than one launch can count. Groups come in the order of their first GEMMs.
using BatchGroup = std::vector<std::size_t>;
std::vector<BatchGroup> groups_of(const BatchLists& lists);

// `count` GEMMs of a group at a constant distance, from number `first` on.
struct StridedBatch {
  std::size_t first = 0;
  std::size_t count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

// Divides a group into strided batches, each as long as possible, from the front. In each of them, A, B and C
// have a constant stride, and all GEMMs have the same alpha and beta.
std::vector<StridedBatch> strided_batches_of(const BatchLists& lists, const BatchGroup& group);

}  // namespace clgemm
