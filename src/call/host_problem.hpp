// A multiply of matrices in the host's memory, in canonical terms, and parts of it.
#pragma once

#include <cstddef>

#include "call/problem.hpp"

namespace clgemm {

// Row-major; no batch, no offsets.
struct HostProblem {
  Problem problem;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

// Of a checked call: a and b exchanged where the caller was column-major.
HostProblem host_problem(const SgemmCall& call, const float* a, const float* b, float* c);

// Throws Error(invalid_argument) for a batch: those of host matrices are none of ours.
void check_no_batch(const SgemmShape& shape);

// The call that states it.
SgemmCall call_of(const HostProblem& host);

// Rows, columns or depths from `first` on.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

// The i-th part of `size`, cut into parts of `step`; the last one may be shorter.
Range part_of(std::size_t size, std::size_t step, std::size_t i);

// A part of the multiply. One that does not begin at depth 0 adds to C.
HostProblem part_of(const HostProblem& host, const Range& rows, const Range& columns, const Range& depth);

// The whole range of each.
Range all_rows(const HostProblem& host);
Range all_columns(const HostProblem& host);
Range all_depth(const HostProblem& host);

// Whether A and B are read at all.
bool reads_a_and_b(const HostProblem& host);

// How op(X) of `rows` x `columns` lies in memory, when X is stored with leading dimension `ld`.
Lines stored_lines(bool transposed, std::size_t rows, std::size_t columns, std::size_t ld);

// C <- beta * C, where A and B are not read.
void scale_on_host(const HostProblem& host);

}  // namespace clgemm
