// Batches of host matrices: the check of a call, and what it asks for.
#pragma once

#include <cstddef>
#include <vector>

#include "call/gemm.hpp"

namespace clgemm {

// GEMMs that differ in where their matrices lie, and in nothing else.
struct HostBatch {
  // `batch_count` is how many. The strides count only if `is_even`: then the matrices lie so far apart.
  Problem problem;
  bool is_even = false;
  std::vector<const float*> a;
  std::vector<const float*> b;
  std::vector<float*> c;

  std::size_t count() const { return c.size(); }

  // True if all products go into one C.
  bool is_sum() const { return count() > 1 && is_even && problem.c.stride == 0; }

  // The i-th alone; of a sum it is to be done behind those before it.
  HostGemm at(std::size_t i) const;
};

// The i-th GEMM of such a batch alone, as far as it is a Problem.
Problem one_of(const Problem& batch);

// Each C <- beta * C; of a sum once.
void scale_on_host(const HostBatch& batch);

// Checks a batch of matrices that lie evenly apart. Throws Error in the caller's terms.
HostBatch check_host_batch(const SgemmCall& call, const float* a, const float* b, float* c);

// The lists of a call, as the caller gives them.
struct HostLists {
  const std::vector<float>& alphas;
  const std::vector<const float*>& a;
  const std::vector<const float*>& b;
  const std::vector<float>& betas;
  const std::vector<float*>& c;
};

// Checks matrices at any place. `one` is what the multiplies have in common, without alpha and beta. Returns
// a batch for each pair of alpha and beta.
std::vector<HostBatch> check_host_lists(const SgemmCall& one, const HostLists& lists);

}  // namespace clgemm
