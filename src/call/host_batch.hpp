// Batches of host matrices: the checked call as data.
#pragma once

#include <cstddef>
#include <vector>

#include "call/gemm.hpp"

namespace clgemm {

// GEMMs that differ only in the places of their matrices.
struct HostBatch {
  // `batch_count` is the number of GEMMs. The strides are valid only if `is_even`.
  Problem problem;
  bool is_even = false;
  std::vector<const float*> a;
  std::vector<const float*> b;
  std::vector<float*> c;

  std::size_t count() const { return c.size(); }

  // Returns whether all products are added into one C.
  bool is_sum() const { return count() > 1 && is_even && problem.c.stride == 0; }

  // Returns GEMM i alone. In a sum it must follow the GEMMs before it.
  HostGemm at(std::size_t i) const;
};

// Returns the Problem of GEMM i of such a batch alone.
Problem one_of(const Problem& batch);

// Computes each C <- beta * C, in a sum once.
void scale_on_host(const HostBatch& batch);

// Checks a batch with constant distances. Throws Error in the caller's terms.
HostBatch check_host_batch(const SgemmCall& call, const float* a, const float* b, float* c);

// The lists of a call, as the caller gives them.
struct HostLists {
  const std::vector<float>& alphas;
  const std::vector<const float*>& a;
  const std::vector<const float*>& b;
  const std::vector<float>& betas;
  const std::vector<float*>& c;
};

// Checks matrices at any place. `one` has everything that the GEMMs have in common, except alpha and beta.
// Returns a batch for each pair of alpha and beta. Batches that multiply come first: if the options are
// wrong, the first one throws before it writes, but batches that only scale do not use the options.
std::vector<HostBatch> check_host_lists(const SgemmCall& one, const HostLists& lists);

}  // namespace clgemm
