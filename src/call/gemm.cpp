#include "call/gemm.hpp"

#include <algorithm>
#include <cstdint>

namespace clgemm {
namespace {

// Returns the position of the element of op(X) at this row and column, from its first element.
std::size_t place_in(const Operand& operand, std::size_t row, std::size_t column) {
  return operand.transposed ? column * operand.ld + row : row * operand.ld + column;
}

// Returns whether op(X) of all terms, side by side along k, is one matrix. `along_lines`: the elements of a
// line of X follow k.
bool is_one_along_k(const Operand& operand, bool along_lines, const Problem& problem) {
  if (!along_lines) return operand.stride == problem.k * operand.ld;
  return operand.stride == problem.k && operand.ld / problem.batch_count >= problem.k;
}

bool is_one_term(const Problem& problem) {
  return to_do(problem) != ToDo::gemm || (is_one_along_k(problem.a, !problem.a.transposed, problem) &&
                                          is_one_along_k(problem.b, problem.b.transposed, problem));
}

}  // namespace

ToDo to_do(const Problem& problem) {
  if (problem.m == 0 || problem.n == 0 || problem.batch_count == 0) return ToDo::nothing;
  if (problem.k != 0 && problem.alpha != 0.0f) return ToDo::gemm;
  return problem.beta != 1.0f ? ToDo::scale_c : ToDo::nothing;
}

bool is_sum(const Problem& problem) {
  return problem.batch_count > 1 && problem.c.stride == 0 && !problem.listed;
}

std::size_t terms_of(const DeviceGemm& gemm) {
  return is_one_term(gemm.problem) ? 1 : gemm.problem.batch_count;
}

DeviceGemm term_of(const DeviceGemm& gemm, std::size_t number) {
  DeviceGemm term = gemm;
  Problem& problem = term.problem;
  if (is_one_term(gemm.problem)) {
    problem.k *= problem.batch_count;
  } else {
    problem.a.offset += number * problem.a.stride;
    problem.b.offset += number * problem.b.stride;
    if (number != 0) problem.beta = 1.0f;
  }
  problem.batch_count = 1;
  problem.a.stride = problem.b.stride = 0;
  return term;
}

Range part_of(std::size_t size, std::size_t step, std::size_t i) {
  return {i * step, std::min(step, size - i * step)};
}

HostGemm part_of(const HostGemm& host, const Range& rows, const Range& columns, const Range& depth) {
  HostGemm part = host;
  part.problem.m = rows.count;
  part.problem.n = columns.count;
  part.problem.k = depth.count;
  if (depth.first != 0) part.problem.beta = 1.0f;
  // All are null if only the sizes matter.
  if (host.a != nullptr) part.a += place_in(host.problem.a, rows.first, depth.first);
  if (host.b != nullptr) part.b += place_in(host.problem.b, depth.first, columns.first);
  if (host.c != nullptr) part.c += place_in(host.problem.c, rows.first, columns.first);
  return part;
}

Range all_rows(const HostGemm& host) {
  return {0, host.problem.m};
}
Range all_columns(const HostGemm& host) {
  return {0, host.problem.n};
}
Range all_depth(const HostGemm& host) {
  return {0, host.problem.k};
}

Lines stored_lines(bool transposed, std::size_t rows, std::size_t columns, std::size_t ld) {
  return transposed ? Lines{columns, rows, ld} : Lines{rows, columns, ld};
}

Extents extents_of(const Problem& problem) {
  const auto extent = [&](const Operand& operand, std::size_t rows, std::size_t columns) -> std::size_t {
    const Lines lines = stored_lines(operand.transposed, rows, columns, operand.ld);
    if (lines.count == 0 || lines.length == 0 || problem.batch_count == 0) return 0;
    return (problem.batch_count - 1) * operand.stride + (lines.count - 1) * lines.ld + lines.length;
  };
  return {extent(problem.a, problem.m, problem.k), extent(problem.b, problem.k, problem.n),
          extent(problem.c, problem.m, problem.n)};
}

std::size_t base_alignment(const Device& device) {
  return std::max<std::size_t>(device.base_alignment_bytes / sizeof(float), 1);
}

std::size_t base_alignment(const Device& device, const void* host_memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(host_memory);
  std::size_t bytes = device.base_alignment_bytes;
  while (bytes > sizeof(float) && address % bytes != 0) bytes /= 2;
  return std::max<std::size_t>(bytes / sizeof(float), 1);
}

void scale_on_host(const HostGemm& host) {
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
