// Tests the helpers of the tests, because a check that cannot fail checks nothing.
#include <cmath>
#include <set>

#include "support/catch.hpp"
#include "support/gemm_case.hpp"
#include "support/pairwise.hpp"
#include "support/reference.hpp"

namespace clgemm::test {
namespace {

TEST_CASE("pairwise() covers every pair, with far fewer rows than the product") {
  const std::vector<std::size_t> sizes = {12, 8, 9, 4};
  const auto rows = pairwise(sizes);
  CHECK(rows.size() < 200);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      std::set<std::pair<std::size_t, std::size_t>> pairs;
      for (const auto& row : rows) pairs.emplace(row[i], row[j]);
      CHECK(pairs.size() == sizes[i] * sizes[j]);
    }
  }
}

// Returns 2 x 2 times 2 x 2 with known elements.
GemmCase small_gemm(float beta) {
  return make_gemm_case({Layout::row_major, Transpose::no, Transpose::yes}, {2, 2, 2}, {2, beta},
                        {1, 1, 3, 4});
}

TEST_CASE("the reference computes a GEMM") {
  const GemmCase gemm = small_gemm(10);
  Data data = random_data(gemm, 1);
  const float a[2][2] = {{1, 2}, {3, 4}};
  const float b[2][2] = {{5, 6}, {7, 8}};  // op(B)
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      data.a[3 + i * 3 + j] = a[i][j];
      data.b[3 + j * 3 + i] = b[i][j];
      data.c[3 + i * 3 + j] = static_cast<float>(i + 1);
    }
  }
  CHECK(reference_result(gemm, data) == std::vector<double>{48, 54, 106, 120});
}

TEST_CASE("error_ratio() detects wrong results") {
  const GemmCase gemm = small_gemm(0);
  const Data data = random_data(gemm, 1);
  std::vector<float> c = data.c;
  CHECK(std::isinf(error_ratio(gemm, data, c)));  // NaN
  const std::vector<double> right = reference_result(gemm, data);
  for (std::size_t i = 0; i < 4; ++i) c[gemm.c.index(i / 2, i % 2)] = static_cast<float>(right[i]);
  CHECK(error_ratio(gemm, data, c) <= 1);
  c[gemm.c.index(1, 1)] += 1e-4f;
  CHECK(error_ratio(gemm, data, c) > error_bound(gemm));
}

TEST_CASE("damage_around_c() detects every changed element outside of C") {
  const GemmCase gemm = small_gemm(0);
  const Data data = random_data(gemm, 1);
  CHECK(damage_around_c(gemm, data, data.c).empty());
  for (std::size_t i = 0; i < data.c.size(); ++i) {
    const bool belongs = i == 3 || i == 4 || i == 6 || i == 7;
    std::vector<float> c = data.c;
    c[i] = 0;
    CHECK(damage_around_c(gemm, data, c).empty() == belongs);
  }
}

TEST_CASE("memory around A and B is NaN, and also C if it must not be read") {
  const GemmCase gemm = small_gemm(0);
  const Data data = random_data(gemm, 1);
  CHECK(std::isnan(data.a[0]));
  CHECK(std::isnan(data.a[5]));
  CHECK_FALSE(std::isnan(data.a[3]));
  CHECK(std::isnan(data.c[3]));
  CHECK_FALSE(std::isnan(random_data(small_gemm(1), 1).c[3]));
}

}  // namespace
}  // namespace clgemm::test
