// sgemm() on host matrices keeps the promises of the public header.
#include <clgemm/clgemm.hpp>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_CASE("the simplest call") {
  const float a[] = {1, 2, 3, 4, 5, 6};     // 2 x 3
  const float b[] = {7, 8, 9, 10, 11, 12};  // 3 x 2
  float c[4] = {nan_value, nan_value, nan_value, nan_value};
  sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
  CHECK(c[0] == 58);
  CHECK(c[1] == 64);
  CHECK(c[2] == 139);
  CHECK(c[3] == 154);
}

TEST_CASE("all forms, with every alpha and beta, in host memory") {
  std::uint32_t seed = 0;
  for (const Form& form : all_forms()) {
    for (const Scalars& scalars : all_scalars()) {
      const GemmCase gemm = make_gemm_case(form, {37, 53, 41}, scalars, all_placements()[seed % 4]);
      const Data data = random_data(gemm, ++seed);
      INFO(describe(gemm));
      check_result(gemm, data, run_on_host(gemm, data, {}));
    }
  }
}

TEST_CASE("clgemm's choice gives correct results for all kinds of shapes") {
  std::uint32_t seed = 0;
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1},
                                               {256, 256, 256},
                                               {257, 131, 67},
                                               {2000, 3, 70},
                                               {3, 2000, 70},
                                               {17, 19, 3000},
                                               {1, 5000, 1},
                                               {300, 1, 300},
                                               {128, 128, 1}}) {
    const GemmCase gemm = make_gemm_case(all_forms()[seed % 8], shape, {1, 1}, all_placements()[seed % 4]);
    const Data data = random_data(gemm, ++seed);
    INFO(describe(gemm));
    check_result(gemm, data, run_on_host(gemm, data, {}));
  }
}

TEST_CASE("operands in place and packed operands give the same bits") {
  const Form form = all_forms()[0];
  for (const char* kernel : {"tiled", "wpt", "float4", "float8"}) {
    Options options;
    options.kernel = kernel;
    const GemmCase in_place = make_gemm_case(form, {64, 64, 64}, {1, 0}, all_placements()[0]);
    GemmCase packed = in_place;  // the same elements, stored the other way round
    packed.form = {Layout::row_major, Transpose::yes, Transpose::yes};
    packed.a.by_rows = packed.b.by_rows = false;
    const Data data = random_data(in_place, 1);
    Data turned = data;
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t j = 0; j < 64; ++j) {
        turned.a[packed.a.index(i, j)] = data.a[in_place.a.index(i, j)];
        turned.b[packed.b.index(i, j)] = data.b[in_place.b.index(i, j)];
      }
    }
    INFO(kernel);
    const std::vector<float> result = run_on_host(in_place, data, options);
    check_result(in_place, data, result);
    CHECK(same_bits(result, run_on_host(packed, turned, options)));
  }
}

TEST_CASE("m == 0 or n == 0 does nothing, and no pointer is read") {
  sgemm(Layout::row_major, Transpose::no, Transpose::no, 0, 7, 5, 1, nullptr, 5, nullptr, 7, 0, nullptr, 7);
  sgemm(Layout::row_major, Transpose::no, Transpose::no, 7, 0, 5, 1, nullptr, 5, nullptr, 1, 0, nullptr, 1);
  float c[] = {1, 2};
  sgemm(Layout::column_major, Transpose::no, Transpose::no, 0, 1, 0, 1, nullptr, 1, nullptr, 1, 0, c, 1);
  CHECK(c[0] == 1);
  CHECK(c[1] == 2);
}

// Checks a call that reads neither A nor B with C = {1, NaN, canary, 2, Inf, canary}, 2 x 2 with ldc 3.
void check_scaling(std::size_t k, float alpha, const float* a, const float* b) {
  const auto run = [&](float beta, std::vector<float> c) {
    sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, k, alpha, a, k + 1, b, 2, beta, c.data(), 3);
    return c;
  };
  const std::vector<float> c = {1, nan_value, 77, 2, infinity, 77};
  CHECK(run(0, c) == std::vector<float>{0, 0, 77, 0, 0, 77});
  CHECK(same_bits(run(1, c), c));
  const std::vector<float> scaled = run(-1.5f, c);
  CHECK(scaled[0] == -1.5f);
  CHECK(std::isnan(scaled[1]));
  CHECK(scaled[3] == -3);
  CHECK(scaled[4] == -infinity);
  CHECK(scaled[2] == 77);
  CHECK(scaled[5] == 77);
}

TEST_CASE("k == 0 only scales C") {
  check_scaling(0, 1, nullptr, nullptr);
}

TEST_CASE("alpha == 0 only scales C, whatever A and B are") {
  check_scaling(3, 0, nullptr, nullptr);
  const std::vector<float> nans(100, nan_value);
  check_scaling(3, 0, nans.data(), nans.data());
  check_scaling(3, -0.0f, nans.data(), nans.data());
}

TEST_CASE("beta == -0 does not read C either") {
  const float one = 1;
  float c = nan_value;
  sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 2, &one, 1, &one, 1, -0.0f, &c, 1);
  CHECK(c == 2);
}

TEST_CASE("an alpha or beta of NaN or Inf affects the result") {
  const float one = 1;
  for (const Scalars& scalars :
       {Scalars{nan_value, 0}, Scalars{1, nan_value}, Scalars{infinity, -infinity}}) {
    float c = 1;
    sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, scalars.alpha, &one, 1, &one, 1,
          scalars.beta, &c, 1);
    CHECK(std::isnan(c));
  }
}

TEST_CASE("A and B may be the same matrix") {
  const GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::yes}, {65, 65, 70},
                                       {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 1);
  data.b = data.a;
  std::vector<float> c = data.c;
  sgemm(Layout::row_major, Transpose::no, Transpose::yes, 65, 65, 70, 1, data.a.data(), gemm.a.ld,
        data.a.data(), gemm.a.ld, 0, c.data(), gemm.c.ld);
  check_result(gemm, data, c);
}

TEST_CASE("a chain of calls sees each other's results") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {33, 33, 33}, {1, 1}, all_placements()[0]);
  Data data = random_data(gemm, 1);
  for (int i = 0; i < 4; ++i) {
    const std::vector<float> c = run_on_host(gemm, data, {});
    check_result(gemm, data, c);
    data.c = c;
  }
}

TEST_CASE("contexts can be released and are made again") {
  const float one = 1;
  for (int i = 0; i < 2; ++i) {
    float c = 0;
    sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 3, &one, 1, &one, 1, 0, &c, 1);
    CHECK(c == 3);
    release_contexts();
    release_contexts();
  }
}

}  // namespace
}  // namespace clgemm
