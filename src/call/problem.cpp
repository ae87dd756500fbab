#include "call/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace clgemm {
namespace {

constexpr std::size_t max_signed = std::numeric_limits<std::int64_t>::max();

// A matrix of a call, with the names for messages.
struct Named {
  const char* name;       // "A"
  const char* ld_name;    // "lda"
  const char* size_name;  // which of m, n and k is the length of a line
  Lines lines;
  std::size_t stride;
  Argument argument;
  Argument ld_argument;
};

bool lines_are_rows(Layout layout, Transpose transpose) {
  return (layout == Layout::row_major) == (transpose == Transpose::no);
}

Lines lines_of(Layout layout, Transpose transpose, std::size_t rows, std::size_t columns, std::size_t ld) {
  return lines_are_rows(layout, transpose) ? Lines{rows, columns, ld} : Lines{columns, rows, ld};
}

Named named_a(const SgemmCall& call) {
  const char* length = lines_are_rows(call.layout, call.transpose_a) ? "k" : "m";
  return {"A", "lda", length, lines_of_a(call), call.stride_a, Argument::a, Argument::lda};
}

Named named_b(const SgemmCall& call) {
  const char* length = lines_are_rows(call.layout, call.transpose_b) ? "n" : "k";
  return {"B", "ldb", length, lines_of_b(call), call.stride_b, Argument::b, Argument::ldb};
}

Named named_c(const SgemmCall& call) {
  const char* length = lines_are_rows(call.layout, Transpose::no) ? "n" : "m";
  return {"C", "ldc", length, lines_of_c(call), call.stride_c, Argument::c, Argument::ldc};
}

void check_leading_dimension(const Named& matrix, Layout layout) {
  const char* line = layout == Layout::row_major ? "row" : "column";
  const std::size_t length = matrix.lines.length;
  const std::size_t least = length == 0 ? 1 : length;
  if (matrix.lines.ld >= least && matrix.lines.ld <= max_signed) return;
  throw Error(ErrorCode::invalid_leading_dimension,
              fmt::format("{} is {}, but a {} of {} in memory has {} elements ({}); {} must be at least {}",
                          matrix.ld_name, static_cast<std::int64_t>(matrix.lines.ld), line, matrix.name,
                          length, matrix.size_name, matrix.ld_name, least),
              matrix.ld_argument);
}

// Returns (count - 1) * step + length. Throws an Error if that does not fit into 64 bits.
std::size_t reach(const Named& matrix, std::size_t count, std::size_t step, std::size_t length) {
  std::size_t result = 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count - 1, step, &result) || __builtin_add_overflow(result, length, &result) ||
      __builtin_mul_overflow(result, sizeof(float), &bytes)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is too large: {} times {} overflows 64 bits", matrix.name, count, step),
                matrix.argument);
  }
  return result;
}

std::size_t extent_of(const Named& matrix, std::size_t batch_count) {
  const Lines& lines = matrix.lines;
  if (lines.count == 0 || lines.length == 0 || batch_count == 0) return 0;
  return reach(matrix, batch_count, matrix.stride, reach(matrix, lines.count, lines.ld, lines.length));
}

void check_transpose(const char* name, Transpose value, Argument argument) {
  if (value == Transpose::no || value == Transpose::yes) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("{} is neither no nor yes", name), argument);
}

void check_enumerators(const SgemmCall& call) {
  if (call.layout != Layout::row_major && call.layout != Layout::column_major) {
    throw Error(ErrorCode::invalid_argument, "layout is neither row_major nor column_major",
                Argument::layout);
  }
  check_transpose("transpose_a", call.transpose_a, Argument::transpose_a);
  check_transpose("transpose_b", call.transpose_b, Argument::transpose_b);
}

void check_size(const char* name, std::size_t size, Argument argument) {
  if (size <= max_signed) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} is {}; it must not be negative", name, static_cast<std::int64_t>(size)),
              argument);
}

// Makes a vector of k elements one line of k elements, if it is one or has no gaps between its elements.
// `transposed` tells whether that line is the transpose of the operand.
void make_one_line(Operand& vector, bool transposed, std::size_t k) {
  if (vector.transposed != transposed && vector.ld != 1) return;
  vector.transposed = transposed;
  vector.ld = std::max<std::size_t>(k, 1);
}

// Returns the smallest leading dimension if the shape has none.
std::size_t ld_or_least(std::size_t ld, const Lines& lines) {
  return ld != 0 ? ld : std::max<std::size_t>(lines.length, 1);
}

}  // namespace

Lines lines_of_a(const SgemmCall& call) {
  return lines_of(call.layout, call.transpose_a, call.m, call.k, call.lda);
}

Lines lines_of_b(const SgemmCall& call) {
  return lines_of(call.layout, call.transpose_b, call.k, call.n, call.ldb);
}

Lines lines_of_c(const SgemmCall& call) {
  return lines_of(call.layout, Transpose::no, call.m, call.n, call.ldc);
}

SgemmCall call_of(const SgemmShape& shape) {
  SgemmCall call{{shape.m, shape.n, shape.k}, shape.layout, shape.transpose_a, shape.transpose_b};
  call.batch_count = shape.batch_count;
  call.stride_a = shape.stride_a;
  call.stride_b = shape.stride_b;
  call.lda = ld_or_least(shape.lda, lines_of_a(call));
  call.ldb = ld_or_least(shape.ldb, lines_of_b(call));
  call.ldc = ld_or_least(shape.ldc, lines_of_c(call));
  return call;
}

Extents check_call(const SgemmCall& call) {
  check_enumerators(call);
  check_size("m", call.m, Argument::m);
  check_size("n", call.n, Argument::n);
  check_size("k", call.k, Argument::k);
  check_size("the batch count", call.batch_count, Argument::batch_count);
  const Named a = named_a(call);
  const Named b = named_b(call);
  const Named c = named_c(call);
  for (const Named& matrix : {a, b, c}) check_leading_dimension(matrix, call.layout);
  return {extent_of(a, call.batch_count), extent_of(b, call.batch_count), extent_of(c, call.batch_count)};
}

bool reads_a_and_b(const SgemmCall& call) {
  return call.m != 0 && call.n != 0 && call.k != 0 && call.batch_count != 0 && call.alpha != 0.0f;
}

Problem canonical(const SgemmCall& call) {
  Problem result{{call.m, call.n, call.k}, call.alpha, call.beta, {}, {}, {}, call.batch_count};
  result.a = {call.transpose_a == Transpose::yes, call.lda};
  result.b = {call.transpose_b == Transpose::yes, call.ldb};
  result.c = {false, call.ldc};
  // With a batch of one, no stride is used, so the problem is the same for any stride.
  if (call.batch_count != 1) {
    result.a.stride = call.stride_a;
    result.b.stride = call.stride_b;
    result.c.stride = call.stride_c;
  }
  if (call.layout == Layout::column_major) {
    std::swap(result.m, result.n);
    std::swap(result.a, result.b);
  }
  return result;
}

Problem with_vectors_as_lines(Problem problem) {
  if (problem.m == 1) make_one_line(problem.a, false, problem.k);
  if (problem.n == 1) make_one_line(problem.b, true, problem.k);
  return problem;
}

Problem transposed_problem(const Problem& problem) {
  Problem result = problem;
  std::swap(result.m, result.n);
  std::swap(result.a, result.b);
  result.a.transposed = !result.a.transposed;
  result.b.transposed = !result.b.transposed;
  result.c.ld = 1;
  return result;
}

}  // namespace clgemm
