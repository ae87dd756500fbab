#include "call/host_problem.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace clgemm {
namespace {

// The element of op(X) at this row and column, from the first one on.
std::size_t place_in(const Operand& operand, std::size_t row, std::size_t column) {
  return operand.transposed ? column * operand.ld + row : row * operand.ld + column;
}

Transpose transpose_of(const Operand& operand) {
  return operand.transposed ? Transpose::yes : Transpose::no;
}

}  // namespace

HostProblem host_problem(const SgemmCall& call, const float* a, const float* b, float* c) {
  if (call.layout == Layout::column_major) std::swap(a, b);
  return {canonical(call), a, b, c};
}

void check_no_batch(const SgemmShape& shape) {
  if (shape.batch_count != 1)
    throw Error(ErrorCode::invalid_argument, "there are no batches of host matrices", Argument::batch_count);
}

SgemmCall call_of(const HostProblem& host) {
  const Problem& problem = host.problem;
  return {Layout::row_major,
          transpose_of(problem.a),
          transpose_of(problem.b),
          problem.m,
          problem.n,
          problem.k,
          problem.alpha,
          problem.beta,
          problem.a.ld,
          problem.b.ld,
          problem.c.ld};
}

Range part_of(std::size_t size, std::size_t step, std::size_t i) {
  return {i * step, std::min(step, size - i * step)};
}

HostProblem part_of(const HostProblem& host, const Range& rows, const Range& columns, const Range& depth) {
  HostProblem part = host;
  part.problem.m = rows.count;
  part.problem.n = columns.count;
  part.problem.k = depth.count;
  if (depth.first != 0) part.problem.beta = 1.0f;
  // All are null where only the sizes are of interest.
  if (host.a != nullptr) part.a += place_in(host.problem.a, rows.first, depth.first);
  if (host.b != nullptr) part.b += place_in(host.problem.b, depth.first, columns.first);
  if (host.c != nullptr) part.c += place_in(host.problem.c, rows.first, columns.first);
  return part;
}

Range all_rows(const HostProblem& host) {
  return {0, host.problem.m};
}
Range all_columns(const HostProblem& host) {
  return {0, host.problem.n};
}
Range all_depth(const HostProblem& host) {
  return {0, host.problem.k};
}

bool reads_a_and_b(const HostProblem& host) {
  return reads_a_and_b(call_of(host));
}

Lines stored_lines(bool transposed, std::size_t rows, std::size_t columns, std::size_t ld) {
  return transposed ? Lines{columns, rows, ld} : Lines{rows, columns, ld};
}

void scale_on_host(const HostProblem& host) {
  const float beta = host.problem.beta;
  for (std::size_t row = 0; row < host.problem.m; ++row) {
    float* const line = host.c + row * host.problem.c.ld;
    if (beta == 0.0f) {
      std::fill_n(line, host.problem.n, 0.0f);
    } else {
      std::transform(line, line + host.problem.n, line, [beta](float element) { return beta * element; });
    }
  }
}

}  // namespace clgemm
