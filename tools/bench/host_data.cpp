#include "host_data.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

namespace clgemm::bench {
namespace {

// Each matrix has a seed of its own.
constexpr std::uint64_t seed_of_a = 1;
constexpr std::uint64_t seed_of_b = 2;
constexpr std::uint64_t seed_of_c = 3;

// 24 random bits fill a float's significand; by hand, because the standard's distribution may return 1.
std::vector<float> random_matrix(std::size_t elements, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> result(elements);
  for (float& element : result) element = static_cast<float>(generator() >> 40U) * 0x1p-23f - 1.0f;
  return result;
}

std::vector<float> turned(const std::vector<float>& matrix, std::size_t rows, std::size_t columns,
                          bool transpose) {
  return transpose ? transposed(matrix, rows, columns) : matrix;
}

}  // namespace

bool stored_transposed(Layout layout, Transpose transpose) {
  return (layout == Layout::column_major) != (transpose == Transpose::yes);
}

SgemmCall compact_call(const MultiplyKind& kind, const Size& size) {
  const bool a_transposed = stored_transposed(kind.layout, kind.transpose_a);
  const bool b_transposed = stored_transposed(kind.layout, kind.transpose_b);
  const bool c_transposed = stored_transposed(kind.layout, Transpose::no);
  return {.layout = kind.layout,
          .transpose_a = kind.transpose_a,
          .transpose_b = kind.transpose_b,
          .m = size.m,
          .n = size.n,
          .k = size.k,
          .alpha = kind.alpha,
          .beta = kind.beta,
          .lda = a_transposed ? size.m : size.k,
          .ldb = b_transposed ? size.k : size.n,
          .ldc = c_transposed ? size.m : size.n};
}

HostData make_host_data(const SgemmCall& call) {
  HostData data{
      call, random_matrix(call.m * call.k, seed_of_a), random_matrix(call.k * call.n, seed_of_b), {}};
  if (call.beta != 0.0f) {
    data.c = random_matrix(call.m * call.n, seed_of_c);
  } else {
    data.c.assign(call.m * call.n, std::numeric_limits<float>::quiet_NaN());
  }
  return data;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::size_t rows, std::size_t columns) {
  constexpr std::size_t block = 32;  // a block's rows and columns stay in the cache
  std::vector<float> result(matrix.size());
  for (std::size_t first_row = 0; first_row < rows; first_row += block) {
    for (std::size_t first_column = 0; first_column < columns; first_column += block) {
      for (std::size_t row = first_row; row < std::min(rows, first_row + block); ++row) {
        for (std::size_t column = first_column; column < std::min(columns, first_column + block); ++column) {
          result[column * rows + row] = matrix[row * columns + column];
        }
      }
    }
  }
  return result;
}

StoredMatrices as_stored(const HostData& data) {
  const SgemmCall& call = data.call;
  return {turned(data.a, call.m, call.k, stored_transposed(call.layout, call.transpose_a)),
          turned(data.b, call.k, call.n, stored_transposed(call.layout, call.transpose_b)),
          turned(data.c, call.m, call.n, stored_transposed(call.layout, Transpose::no))};
}

std::vector<float> c_as_row_major(const SgemmCall& call, const std::vector<float>& stored) {
  return turned(stored, call.n, call.m, stored_transposed(call.layout, Transpose::no));
}

}  // namespace clgemm::bench
