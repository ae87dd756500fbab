#include "problem.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "error.hpp"

namespace clgemm {
namespace {

// A matrix as the caller stores it: `lines` rows (row-major) or columns (column-major) of `length` elements.
struct Stored {
  const char* name;       // "A"
  const char* ld_name;    // "lda"
  const char* size_name;  // which of m, n, k is the length
  std::size_t lines;
  std::size_t length;
  std::size_t ld;
};

Stored stored(const char* name, const char* ld_name, const SgemmCall& call, Transpose transpose,
              std::size_t rows, const char* rows_name, std::size_t columns, const char* columns_name,
              std::size_t ld) {
  const bool lines_are_rows = (call.layout == Layout::row_major) == (transpose == Transpose::no);
  return lines_are_rows ? Stored{name, ld_name, columns_name, rows, columns, ld}
                        : Stored{name, ld_name, rows_name, columns, rows, ld};
}

void check_leading_dimension(const Stored& matrix, Layout layout) {
  const char* line = layout == Layout::row_major ? "row" : "column";
  const std::size_t least = matrix.length == 0 ? 1 : matrix.length;
  if (matrix.ld >= least && matrix.ld <= std::numeric_limits<std::int64_t>::max()) return;
  throw Error(
      ErrorCode::invalid_leading_dimension,
      fmt::format("{} is {}, but a {} of {} as it is stored has {} elements ({}): {} must be at least {}",
                  matrix.ld_name, static_cast<std::int64_t>(matrix.ld), line, matrix.name, matrix.length,
                  matrix.size_name, matrix.ld_name, least));
}

std::size_t extent_of(const Stored& matrix) {
  if (matrix.lines == 0 || matrix.length == 0) return 0;
  std::size_t result = 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(matrix.lines - 1, matrix.ld, &result) ||
      __builtin_add_overflow(result, matrix.length, &result) ||
      __builtin_mul_overflow(result, sizeof(float), &bytes)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is too large: {} times {} of {} overflows 64 bits", matrix.name, matrix.lines,
                            matrix.ld_name, matrix.ld));
  }
  return result;
}

void check_enumerators(const SgemmCall& call) {
  if (call.layout != Layout::row_major && call.layout != Layout::column_major) {
    throw Error(ErrorCode::invalid_argument, "layout is neither row_major nor column_major");
  }
  for (const auto& [name, value] :
       {std::pair{"transpose_a", call.transpose_a}, {"transpose_b", call.transpose_b}}) {
    if (value != Transpose::no && value != Transpose::yes) {
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is neither no nor yes", name));
    }
  }
}

void check_size(const char* name, std::size_t size) {
  if (size <= static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} is {}; it must not be negative", name, static_cast<std::int64_t>(size)));
}

}  // namespace

Extents check_call(const SgemmCall& call) {
  check_enumerators(call);
  check_size("m", call.m);
  check_size("n", call.n);
  check_size("k", call.k);
  const Stored a = stored("A", "lda", call, call.transpose_a, call.m, "m", call.k, "k", call.lda);
  const Stored b = stored("B", "ldb", call, call.transpose_b, call.k, "k", call.n, "n", call.ldb);
  const Stored c = stored("C", "ldc", call, Transpose::no, call.m, "m", call.n, "n", call.ldc);
  for (const Stored& matrix : {a, b, c}) check_leading_dimension(matrix, call.layout);
  return {extent_of(a), extent_of(b), extent_of(c)};
}

bool reads_a_and_b(const SgemmCall& call) {
  return call.m != 0 && call.n != 0 && call.k != 0 && call.alpha != 0.0f;
}

Problem canonical(const SgemmCall& call) {
  Problem result{call.m, call.n, call.k, call.alpha, call.beta, {}, {}, {}};
  result.a = {call.transpose_a == Transpose::yes, call.lda};
  result.b = {call.transpose_b == Transpose::yes, call.ldb};
  result.c = {false, call.ldc};
  if (call.layout == Layout::column_major) {
    std::swap(result.m, result.n);
    std::swap(result.a, result.b);
  }
  return result;
}

}  // namespace clgemm
