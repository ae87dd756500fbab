#include "gemm_case.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "base/sizes.hpp"

namespace clgemm::test {
namespace {

// A quiet NaN that is never the result of arithmetic.
constexpr std::uint32_t canary_bits = 0x7fc0cafe;

float canary() {
  float result = 0;
  std::memcpy(&result, &canary_bits, sizeof result);
  return result;
}

Place make_place(bool by_rows, std::size_t rows, std::size_t columns, const Placement& placement) {
  Place result{by_rows, rows, columns, 0, placement.offset, placement.tail};
  result.ld = round_up(result.length() + placement.ld_extra, placement.ld_multiple);
  return result;
}

std::vector<float> fill(const Place& place, float around, const std::function<float()>& next) {
  std::vector<float> result(place.buffer_elements(), around);
  for (std::size_t line = 0; line < place.lines(); ++line) {
    for (std::size_t i = 0; i < place.length(); ++i) result[place.offset + line * place.ld + i] = next();
  }
  return result;
}

Data make_data(const GemmCase& gemm, const std::function<float()>& next) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Data result;
  result.a = fill(gemm.a, nan, next);
  result.b = fill(gemm.b, nan, next);
  const bool reads_c = gemm.scalars.beta != 0.0f;
  result.c = fill(gemm.c, canary(), [&] { return reads_c ? next() : nan; });
  return result;
}

float random_element(std::mt19937& generator) {
  return static_cast<float>(static_cast<std::int32_t>(generator()) >> 8) * 0x1p-23f;
}

const char* name(Transpose transpose) {
  return transpose == Transpose::yes ? "T" : "N";
}

}  // namespace

const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> result;
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      for (const Transpose transpose_a : {Transpose::no, Transpose::yes}) {
        for (const Transpose transpose_b : {Transpose::no, Transpose::yes})
          result.push_back({layout, transpose_a, transpose_b});
      }
    }
    return result;
  }();
  return forms;
}

const std::vector<Scalars>& all_scalars() {
  static const std::vector<Scalars> scalars = {{1, 0},         {1, 1}, {1, -1.5f}, {-1.5f, 0}, {-1.5f, 1},
                                               {-1.5f, -1.5f}, {0, 0}, {0, 1},     {0, -1.5f}};
  return scalars;
}

const std::vector<Placement>& all_placements() {
  static const std::vector<Placement> placements = {
      {1, 0, 0, 64}, {1, 3, 5, 64}, {16, 8, 32, 64}, {256, 0, 0, 64}};
  return placements;
}

GemmCase make_gemm_case(const Form& form, const Shape& shape, const Scalars& scalars,
                        const Placement& placement) {
  const bool row_major = form.layout == Layout::row_major;
  GemmCase result{form, shape, scalars, {}, {}, {}};
  result.a = make_place(row_major == (form.transpose_a == Transpose::no), shape.m, shape.k, placement);
  result.b = make_place(row_major == (form.transpose_b == Transpose::no), shape.k, shape.n, placement);
  result.c = make_place(row_major, shape.m, shape.n, placement);
  return result;
}

std::string describe(const GemmCase& gemm) {
  return fmt::format("{} {}{} m {} n {} k {} alpha {} beta {} lda {} ldb {} ldc {} offset {}",
                     gemm.form.layout == Layout::row_major ? "row-major" : "column-major",
                     name(gemm.form.transpose_a), name(gemm.form.transpose_b), gemm.shape.m, gemm.shape.n,
                     gemm.shape.k, gemm.scalars.alpha, gemm.scalars.beta, gemm.a.ld, gemm.b.ld, gemm.c.ld,
                     gemm.c.offset);
}

Data random_data(const GemmCase& gemm, std::uint32_t seed) {
  std::mt19937 generator(seed);
  return make_data(gemm, [&] { return random_element(generator); });
}

Data integer_data(const GemmCase& gemm, std::uint32_t seed) {
  std::mt19937 generator(seed);
  return make_data(gemm, [&] { return static_cast<float>(generator() % 17) - 8.0f; });
}

std::vector<float> random_elements(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> result(count);
  for (float& element : result) element = random_element(generator);
  return result;
}

bool same_bits(const std::vector<float>& left, const std::vector<float>& right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0);
}

std::string damage_around_c(const GemmCase& gemm, const Data& before, const std::vector<float>& c) {
  std::vector<bool> belongs(before.c.size(), false);
  for (std::size_t row = 0; row < gemm.c.rows; ++row) {
    for (std::size_t column = 0; column < gemm.c.columns; ++column) belongs[gemm.c.index(row, column)] = true;
  }
  for (std::size_t i = 0; i < belongs.size(); ++i) {
    if (belongs[i] || std::memcmp(&before.c[i], &c[i], sizeof(float)) == 0) continue;
    return fmt::format("element {} of C's buffer is not C's, and was overwritten with {}", i, c[i]);
  }
  return {};
}

}  // namespace clgemm::test
