#include "measuring/host_data.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include "common/in_parallel.hpp"
#include "measuring/guards.hpp"

namespace clgemm::bench {
namespace {

// Each matrix has its own seed.
constexpr std::uint64_t seed_of_a = 1;
constexpr std::uint64_t seed_of_b = 2;
constexpr std::uint64_t seed_of_c = 3;

// 24 random bits fill a float's significand. This is written by hand because the standard's distribution may
// return 1. Each part has its own generator, because one thread takes four seconds for 32768 x 32768
// elements.
std::vector<float> random_matrix(std::size_t elements, std::uint64_t seed) {
  constexpr std::size_t part = std::size_t{1} << 20;
  constexpr std::uint64_t to_next_part = 1000003;
  std::vector<float> result(elements);
  in_parallel((elements + part - 1) / part, [&](std::size_t i) {
    std::mt19937_64 generator(seed + i * to_next_part);
    const std::size_t end = std::min(elements, (i + 1) * part);
    for (std::size_t place = i * part; place < end; ++place)
      result[place] = static_cast<float>(generator() >> 40U) * 0x1p-23f - 1.0f;
  });
  return result;
}

// `from` is row-major without gaps, and so is its transpose.
void transpose_into(float* to, const float* from, std::size_t rows, std::size_t columns) {
  constexpr std::size_t block = 32;  // a block's rows and columns stay in the cache
  for (std::size_t first_row = 0; first_row < rows; first_row += block) {
    for (std::size_t first_column = 0; first_column < columns; first_column += block) {
      for (std::size_t row = first_row; row < std::min(rows, first_row + block); ++row) {
        for (std::size_t column = first_column; column < std::min(columns, first_column + block); ++column) {
          to[column * rows + row] = from[row * columns + column];
        }
      }
    }
  }
}

// Returns the matrices, which follow each other in memory, or the transpose of each.
std::vector<float> turned(std::vector<float> matrices, std::size_t rows, std::size_t columns,
                          bool transpose) {
  if (!transpose) return matrices;
  std::vector<float> result(matrices.size());
  for (std::size_t first = 0; first < matrices.size(); first += rows * columns) {
    transpose_into(&result[first], &matrices[first], rows, columns);
  }
  return result;
}

// Copies `count` lines of `length` elements from one leading dimension to another.
std::vector<float> with_leading_dimension(std::vector<float> matrix, std::size_t count, std::size_t length,
                                          std::size_t from, std::size_t to) {
  if (from == to) return matrix;
  std::vector<float> result(count * to, guard_element());
  for (std::size_t line = 0; line < count; ++line) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(line * from);
    std::copy_n(first, length, result.begin() + static_cast<std::ptrdiff_t>(line * to));
  }
  return result;
}

// The lines of each matrix of a batch end where those of the next matrix begin.
std::vector<float> stored_as(const Lines& lines, std::size_t batch_count, std::vector<float> compact) {
  return with_leading_dimension(std::move(compact), batch_count * lines.count, lines.length, lines.length,
                                lines.ld);
}

}  // namespace

bool stored_transposed(Layout layout, Transpose transpose) {
  return (layout == Layout::column_major) != (transpose == Transpose::yes);
}

double operations(const Case& one) {
  return operations(one.size) * static_cast<double>(one.kind.batch_count);
}

SgemmCall call_of(const GemmKind& kind, const Size& size) {
  const bool a_transposed = stored_transposed(kind.layout, kind.transpose_a);
  const bool b_transposed = stored_transposed(kind.layout, kind.transpose_b);
  const bool c_transposed = stored_transposed(kind.layout, Transpose::no);
  SgemmCall call{{size.m, size.n, size.k},
                 kind.layout,
                 kind.transpose_a,
                 kind.transpose_b,
                 kind.alpha,
                 kind.beta,
                 (a_transposed ? size.m : size.k) + kind.gap,
                 (b_transposed ? size.k : size.n) + kind.gap,
                 (c_transposed ? size.m : size.n) + kind.gap,
                 kind.batch_count};
  call.stride_a = lines_of_a(call).count * call.lda;
  call.stride_b = lines_of_b(call).count * call.ldb;
  call.stride_c = lines_of_c(call).count * call.ldc;
  return call;
}

GemmKind kind_of(const SgemmCall& call) {
  const Lines lines = lines_of_c(call);
  return {call.layout, call.transpose_a,        call.transpose_b, call.alpha,
          call.beta,   lines.ld - lines.length, call.batch_count};
}

HostData make_host_data(const SgemmCall& call) {
  const std::size_t count = call.batch_count;
  HostData data{call,
                random_matrix(count * call.m * call.k, seed_of_a),
                random_matrix(count * call.k * call.n, seed_of_b),
                {}};
  const std::size_t elements_of_c = count * call.m * call.n;
  if (call.beta != 0.0f) {
    data.c = random_matrix(elements_of_c, seed_of_c);
  } else {
    data.c.assign(elements_of_c, std::numeric_limits<float>::quiet_NaN());
  }
  return data;
}

StoredMatrices as_stored(const HostData& data) {
  const SgemmCall& call = data.call;
  return {stored_as(lines_of_a(call), call.batch_count,
                    turned(data.a, call.m, call.k, stored_transposed(call.layout, call.transpose_a))),
          stored_as(lines_of_b(call), call.batch_count,
                    turned(data.b, call.k, call.n, stored_transposed(call.layout, call.transpose_b))),
          stored_as(lines_of_c(call), call.batch_count,
                    turned(data.c, call.m, call.n, stored_transposed(call.layout, Transpose::no)))};
}

std::vector<float> c_as_row_major(const SgemmCall& call, std::vector<float> stored) {
  const Lines lines = lines_of_c(call);
  return turned(with_leading_dimension(std::move(stored), call.batch_count * lines.count, lines.length,
                                       lines.ld, lines.length),
                call.n, call.m, stored_transposed(call.layout, Transpose::no));
}

}  // namespace clgemm::bench
