// Calls of mixed shapes with exact results, for programs that make very many of them.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::test {

// Returns a small integer, so that the result is exact.
inline float small_integer(std::size_t i) {
  return static_cast<float>((i * 5 + i / 7) % 7) - 3.0f;
}

// A row-major GEMM on host matrices, and its result.
struct MixedCall {
  std::size_t m, n, k;
  Transpose transpose_a, transpose_b;
  std::string kernel;  // empty means that clgemm chooses
  std::vector<float> a, b, c, expected;

  std::size_t lda() const { return transpose_a == Transpose::no ? k : m; }
  std::size_t ldb() const { return transpose_b == Transpose::no ? n : k; }
};

inline MixedCall make_mixed_call(std::size_t i) {
  static const std::vector<std::string> kernels = {"", "", "tiled", "wpt", "float8", "coalesced"};
  const auto transpose = [](std::size_t bit) { return bit % 2 == 0 ? Transpose::no : Transpose::yes; };
  MixedCall call{1 + i * 13 % 61,
                 1 + i * 29 % 71,
                 1 + i * 7 % 53,
                 transpose(i),
                 transpose(i / 2),
                 kernels[i % 6],
                 {},
                 {},
                 {},
                 {}};
  call.a.resize(call.m * call.k);
  call.b.resize(call.k * call.n);
  call.c.resize(call.m * call.n);
  for (std::size_t j = 0; j < call.a.size(); ++j) call.a[j] = small_integer(i + j);
  for (std::size_t j = 0; j < call.b.size(); ++j) call.b[j] = small_integer(3 * i + j);
  for (std::size_t j = 0; j < call.c.size(); ++j) call.c[j] = small_integer(7 * i + j);
  call.expected = call.c;
  for (std::size_t row = 0; row < call.m; ++row) {
    for (std::size_t column = 0; column < call.n; ++column) {
      float sum = 0.0f;
      for (std::size_t depth = 0; depth < call.k; ++depth) {
        const bool a_by_rows = call.transpose_a == Transpose::no;
        const bool b_by_rows = call.transpose_b == Transpose::no;
        sum += call.a[a_by_rows ? row * call.k + depth : depth * call.m + row] *
               call.b[b_by_rows ? depth * call.n + column : column * call.k + depth];
      }
      float& element = call.expected[row * call.n + column];
      element = 2.0f * sum - element;
    }
  }
  return call;
}

// Runs the call on host matrices. Returns true if the result is exact.
inline bool run_on_host(Context& context, const MixedCall& call) {
  std::vector<float> c = call.c;
  Options options;
  options.kernel = call.kernel;
  context.sgemm(Layout::row_major, call.transpose_a, call.transpose_b, call.m, call.n, call.k, 2.0f,
                call.a.data(), call.lda(), call.b.data(), call.ldb(), -1.0f, c.data(), call.n, options);
  return c == call.expected;
}

}  // namespace clgemm::test
