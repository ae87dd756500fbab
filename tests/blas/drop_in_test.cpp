// The drop-in from a program's view: results by every name and in every form, the positions of wrong
// arguments, what the BLAS promises about NaN and null pointers, and a device that dies. CTest runs it once
// for each way that calls may take. The results are the same for all.
#include <clocale>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "blas/blas_names.h"
#include "support/dying_device.hpp"

namespace {

constexpr int row_major = 101;
constexpr int column_major = 102;
constexpr int no = 111;
constexpr int yes = 112;

int failures = 0;
void check(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "drop_in_test.cpp: not so: %s\n", what.c_str());
}

// The last report of a wrong argument.
int reported_position = 0;
std::string reported_name;

}  // namespace

extern "C" void xerbla_(const char* name, const int* position, std::size_t length);
void xerbla_(const char* name, const int* position, std::size_t length) {
  reported_name.assign(name, length);
  reported_position = *position;
}

extern "C" void cblas_xerbla(int position, const char* name, const char* format, ...);
void cblas_xerbla(int position, const char* name, const char* /*format*/, ...) {
  reported_name = name;
  reported_position = position;
}

namespace {

// 5 x 7 times 7 x 6 with small integers, so that results are exact. Every line has a gap after it.
constexpr int m = 5;
constexpr int n = 6;
constexpr int k = 7;
constexpr float gap = -77.0f;

float a_at(int row, int p) {
  return static_cast<float>((row * 3 + p) % 5 - 2);
}
float b_at(int p, int column) {
  return static_cast<float>((p * 2 + column) % 7 - 3);
}
float c_at(int row, int column) {
  return static_cast<float>(row - column);
}

struct Stored {
  std::vector<float> elements;
  int ld = 0;
};

// A matrix in memory.
template <class At>
Stored store(int layout, bool transposed, int rows, int columns, At&& at) {
  const bool lines_are_rows = (layout == row_major) != transposed;
  const int lines = lines_are_rows ? rows : columns;
  const int length = lines_are_rows ? columns : rows;
  Stored result{std::vector<float>(static_cast<std::size_t>(lines * (length + 2)), gap), length + 2};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int place = lines_are_rows ? row * result.ld + column : column * result.ld + row;
      result.elements[static_cast<std::size_t>(place)] = at(row, column);
    }
  }
  return result;
}

Stored expected_c(int layout, float alpha, float beta) {
  return store(layout, false, m, n, [&](int row, int column) {
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum += a_at(row, p) * b_at(p, column);
    return alpha * sum + (beta == 0.0f ? 0.0f : beta * c_at(row, column));
  });
}

struct Form {
  int layout;
  bool transpose_a;
  bool transpose_b;
  float alpha;
  float beta;
};

template <class Body>
void for_all_forms(Body&& body) {
  for (const int layout : {row_major, column_major}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        body(Form{layout, transpose_a, transpose_b, 2.0f, 0.0f});
        body(Form{layout, transpose_a, transpose_b, -1.0f, 3.0f});
      }
    }
  }
}

std::string text_of(const char* function, const Form& form) {
  return std::string(function) + " " + std::to_string(form.layout) + (form.transpose_a ? " T" : " N") +
         (form.transpose_b ? "T" : "N") + " beta " + std::to_string(form.beta);
}

void test_results() {
  for_all_forms([](const Form& form) {
    const Stored a = store(form.layout, form.transpose_a, m, k, a_at);
    const Stored b = store(form.layout, form.transpose_b, k, n, b_at);
    const Stored before = store(form.layout, false, m, n, c_at);
    const Stored wanted = expected_c(form.layout, form.alpha, form.beta);
    const int ta = form.transpose_a ? yes : no;
    const int tb = form.transpose_b ? yes : no;
    std::vector<float> c = before.elements;
    cblas_sgemm(form.layout, ta, tb, m, n, k, form.alpha, a.elements.data(), a.ld, b.elements.data(), b.ld,
                form.beta, c.data(), before.ld);
    check(c == wanted.elements, text_of("cblas_sgemm", form));
    c = before.elements;
    cblas_sgemm64_(form.layout, ta, tb, m, n, k, form.alpha, a.elements.data(), a.ld, b.elements.data(), b.ld,
                   form.beta, c.data(), before.ld);
    check(c == wanted.elements, text_of("cblas_sgemm64_", form));
    if (form.layout == row_major) return;
    const char letters[] = "nT";
    const std::int32_t sizes[] = {m, n, k, a.ld, b.ld, before.ld};
    c = before.elements;
    sgemm_(&letters[form.transpose_a ? 1 : 0], &letters[form.transpose_b ? 1 : 0], &sizes[0], &sizes[1],
           &sizes[2], &form.alpha, a.elements.data(), &sizes[3], b.elements.data(), &sizes[4], &form.beta,
           c.data(), &sizes[5]);
    check(c == wanted.elements, text_of("sgemm_", form));
    const std::int64_t long_sizes[] = {m, n, k, a.ld, b.ld, before.ld};
    c = before.elements;
    sgemm_64_(&letters[form.transpose_a ? 1 : 0], &letters[form.transpose_b ? 1 : 0], &long_sizes[0],
              &long_sizes[1], &long_sizes[2], &form.alpha, a.elements.data(), &long_sizes[3],
              b.elements.data(), &long_sizes[4], &form.beta, c.data(), &long_sizes[5]);
    check(c == wanted.elements, text_of("sgemm_64_", form));
  });
}

std::vector<float> twice(const std::vector<float>& elements) {
  std::vector<float> result = elements;
  result.insert(result.end(), elements.begin(), elements.end());
  return result;
}

void test_batches() {
  for_all_forms([](const Form& form) {
    const Stored a = store(form.layout, form.transpose_a, m, k, a_at);
    const Stored b = store(form.layout, form.transpose_b, k, n, b_at);
    const Stored before = store(form.layout, false, m, n, c_at);
    const std::vector<float> wanted = twice(expected_c(form.layout, form.alpha, form.beta).elements);
    const std::vector<float> two_b = twice(b.elements);
    const int ta = form.transpose_a ? yes : no;
    const int tb = form.transpose_b ? yes : no;
    const auto stride_c = static_cast<int>(before.elements.size());
    std::vector<float> c = twice(before.elements);
    cblas_sgemm_batch_strided(form.layout, ta, tb, m, n, k, form.alpha, a.elements.data(), a.ld, 0,
                              two_b.data(), b.ld, static_cast<int>(b.elements.size()), form.beta, c.data(),
                              before.ld, stride_c, 2);
    check(c == wanted, text_of("cblas_sgemm_batch_strided", form));

    // Groups of one, none and one GEMM.
    c = twice(before.elements);
    const float* const as[] = {a.elements.data(), a.elements.data()};
    const float* const bs[] = {b.elements.data(), b.elements.data()};
    float* const cs[] = {c.data(), c.data() + stride_c};
    const int tas[] = {ta, ta, ta};
    const int tbs[] = {tb, tb, tb};
    const int ms[] = {m, m, m};
    const int ns[] = {n, n, n};
    const int ks[] = {k, k, k};
    const float alphas[] = {form.alpha, form.alpha, form.alpha};
    const float betas[] = {form.beta, form.beta, form.beta};
    const int ldas[] = {a.ld, a.ld, a.ld};
    const int ldbs[] = {b.ld, b.ld, b.ld};
    const int ldcs[] = {before.ld, before.ld, before.ld};
    const int group_sizes[] = {1, 0, 1};
    cblas_sgemm_batch(form.layout, tas, tbs, ms, ns, ks, alphas, as, ldas, bs, ldbs, betas, cs, ldcs, 3,
                      group_sizes);
    check(c == wanted, text_of("cblas_sgemm_batch", form));
  });
}

// Enough GEMMs for one launch, each with its own numbers, in groups and in any order.
void test_many_in_a_batch() {
  constexpr int count = 37;
  for_all_forms([](const Form& form) {
    std::vector<Stored> as, bs, wanted, results;
    for (int i = 0; i < count; ++i) {
      const auto factor = static_cast<float>(i % 5 - 2);
      as.push_back(
          store(form.layout, form.transpose_a, m, k, [&](int row, int p) { return factor * a_at(row, p); }));
      bs.push_back(store(form.layout, form.transpose_b, k, n, b_at));
      results.push_back(store(form.layout, false, m, n, c_at));
      wanted.push_back(expected_c(form.layout, form.alpha * factor, form.beta));
    }
    std::vector<const float*> a, b;
    std::vector<float*> c;
    for (int i = 0; i < count; ++i) {
      const auto place = static_cast<std::size_t>(i * 11 % count);
      a.push_back(as[place].elements.data());
      b.push_back(bs[place].elements.data());
      c.push_back(results[place].elements.data());
    }
    const std::vector<int> ta(2, form.transpose_a ? yes : no), tb(2, form.transpose_b ? yes : no);
    const std::vector<int> ms(2, m), ns(2, n), ks(2, k), sizes = {20, count - 20};
    const std::vector<int> lda(2, as[0].ld), ldb(2, bs[0].ld), ldc(2, results[0].ld);
    const std::vector<float> alpha(2, form.alpha), beta(2, form.beta);
    cblas_sgemm_batch(form.layout, ta.data(), tb.data(), ms.data(), ns.data(), ks.data(), alpha.data(),
                      a.data(), lda.data(), b.data(), ldb.data(), beta.data(), c.data(), ldc.data(), 2,
                      sizes.data());
    for (std::size_t i = 0; i < count; ++i)
      check(results[i].elements == wanted[i].elements, text_of("cblas_sgemm_batch", form) + ", of many");
  });
}

// A batch should not have the same C twice, but BLAS libraries then compute one GEMM after another.
void test_one_c_twice() {
  const std::vector<float> ones(4, 1.0f);
  std::vector<float> c(4, 0.0f);
  cblas_sgemm_batch_strided(column_major, no, no, 2, 2, 2, 1.0f, ones.data(), 2, 0, ones.data(), 2, 0, 1.0f,
                            c.data(), 2, 0, 3);
  check(c == std::vector<float>(4, 6.0f), "three multiplies add up in one C");
}

// NaN in elements that must not be used, and null for matrices that must not be read.
void test_promises() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> ones(4, 1.0f);
  std::vector<float> c(4, nan);
  cblas_sgemm(row_major, no, no, 2, 2, 2, 1.0f, ones.data(), 2, ones.data(), 2, 0.0f, c.data(), 2);
  check(c == std::vector<float>(4, 2.0f), "beta 0 does not read C");
  cblas_sgemm(row_major, no, no, 2, 2, 2, 0.0f, nullptr, 2, nullptr, 2, 0.5f, c.data(), 2);
  check(c == std::vector<float>(4, 1.0f), "alpha 0 does not read A and B");
  cblas_sgemm(row_major, no, no, 2, 2, 0, 1.0f, nullptr, 1, nullptr, 2, 3.0f, c.data(), 2);
  check(c == std::vector<float>(4, 3.0f), "k 0 scales C");
  cblas_sgemm(row_major, no, no, 0, 2, 2, 1.0f, nullptr, 2, nullptr, 2, 0.0f, nullptr, 2);
  cblas_sgemm(row_major, no, no, 2, 0, 2, 1.0f, nullptr, 2, nullptr, 1, 0.0f, nullptr, 1);
  const std::vector<float> with_nan = {nan, 0.0f, 0.0f, 1.0f};
  cblas_sgemm(row_major, no, no, 2, 2, 2, 1.0f, with_nan.data(), 2, ones.data(), 2, 0.0f, c.data(), 2);
  check(std::isnan(c[0]) && std::isnan(c[1]) && c[2] == 1.0f && c[3] == 1.0f,
        "NaN spreads along its row alone");
  // C may overlap A in memory, because no BLAS forbids it. The result is undefined, but nothing else may
  // happen.
  std::vector<float> both(4, 1.0f);
  cblas_sgemm(row_major, no, no, 2, 2, 2, 1.0f, both.data(), 2, ones.data(), 2, 0.0f, both.data(), 2);
}

struct Fortran {
  char transpose_a = 'N', transpose_b = 'N';
  std::int32_t m = 2, n = 3, k = 4, lda = 2, ldb = 4, ldc = 2;
};

void expect_fortran(int position, const Fortran& call) {
  reported_position = 0;
  const float one = 1.0f;
  sgemm_(&call.transpose_a, &call.transpose_b, &call.m, &call.n, &call.k, &one, nullptr, &call.lda, nullptr,
         &call.ldb, &one, nullptr, &call.ldc);
  check(reported_position == position && reported_name == "SGEMM ",
        "sgemm_ reports " + std::to_string(position) + ", not " + std::to_string(reported_position));
}

void expect_c(const std::string& name, int position, int layout, int transpose_a, int transpose_b,
              std::vector<int> sizes) {
  reported_position = 0;
  cblas_sgemm(layout, transpose_a, transpose_b, sizes[0], sizes[1], sizes[2], 1.0f, nullptr, sizes[3],
              nullptr, sizes[4], 1.0f, nullptr, sizes[5]);
  check(reported_position == position && reported_name == name,
        "cblas_sgemm reports " + std::to_string(position) + " of " + name + ", not " +
            std::to_string(reported_position) + " of " + reported_name);
}

// Both kinds of batches report the caller's argument, in both layouts.
void expect_batch(int position, int strided_position, int layout, std::vector<int> sizes) {
  reported_position = 0;
  cblas_sgemm_batch_strided(layout, no, no, sizes[0], sizes[1], sizes[2], 1, nullptr, sizes[3], 8, nullptr,
                            sizes[4], 12, 0, nullptr, sizes[5], 6, 1);
  check(reported_position == strided_position && reported_name == "cblas_sgemm_batch_strided",
        "cblas_sgemm_batch_strided reports " + std::to_string(strided_position) + ", not " +
            std::to_string(reported_position));
  reported_position = 0;
  const float one = 1.0f;
  const float* none = nullptr;
  float* no_c = nullptr;
  const int count = 1;
  cblas_sgemm_batch(layout, &no, &no, sizes.data(), &sizes[1], &sizes[2], &one, &none, &sizes[3], &none,
                    &sizes[4], &one, &no_c, &sizes[5], 1, &count);
  check(
      reported_position == position && reported_name == "cblas_sgemm_batch",
      "cblas_sgemm_batch reports " + std::to_string(position) + ", not " + std::to_string(reported_position));
}

void test_wrong_arguments() {
  expect_fortran(1, {'X', 'X', -1});
  expect_fortran(2, {'N', 'X', -1});
  expect_fortran(3, {'N', 'N', -1, -1});
  expect_fortran(4, {'N', 'N', 2, -1});
  expect_fortran(5, {'N', 'N', 2, 3, -1});
  expect_fortran(8, {'N', 'N', 2, 3, 4, 1, 1, 1});
  expect_fortran(8, {'T', 'N', 2, 3, 4, 3});
  expect_fortran(10, {'N', 'N', 2, 3, 4, 2, 3, 1});
  expect_fortran(10, {'N', 'C', 2, 3, 4, 2, 2});
  expect_fortran(13, {'N', 'N', 2, 3, 4, 2, 4, 1});
  expect_fortran(13, {'N', 'N', 0, 0, 0, 1, 1, 0});
  expect_c("cblas_sgemm", 1, 7, no, no, {2, 3, 4, 2, 4, 2});
  expect_c("cblas_sgemm", 2, column_major, 7, 7, {2, 3, 4, 2, 4, 2});
  expect_c("cblas_sgemm", 3, column_major, no, 7, {2, 3, 4, 2, 4, 2});
  expect_c("SGEMM ", 3, column_major, no, no, {-1, -1, 4, 2, 4, 2});
  expect_c("SGEMM ", 13, column_major, no, no, {2, 3, 4, 2, 4, 1});
  // Errors in sizes are reported by the SGEMM call that this call makes. So positions of row-major calls are
  // those of the column-major one. The reference CBLAS converts them back when it prints them.
  expect_c("SGEMM ", 4, row_major, no, no, {-1, 3, 4, 4, 3, 3});
  expect_c("SGEMM ", 3, row_major, no, no, {2, -1, 4, 4, 3, 3});
  expect_c("SGEMM ", 10, row_major, no, no, {2, 3, 4, 3, 3, 3});
  expect_c("SGEMM ", 8, row_major, no, no, {2, 3, 4, 4, 2, 3});
  expect_c("SGEMM ", 13, row_major, no, no, {2, 3, 4, 4, 3, 2});
  reported_position = 0;
  cblas_sgemm_batch_strided(column_major, no, no, 2, 3, 4, 1, nullptr, 2, 8, nullptr, 4, 12, 0, nullptr, 2, 6,
                            -1);
  check(reported_position == 18, "cblas_sgemm_batch_strided reports its last argument");
  for (const int layout : {column_major, row_major}) {
    const int least_c = layout == row_major ? 3 : 2;
    const int least_a = layout == row_major ? 4 : 2;
    const int least_b = layout == row_major ? 3 : 4;
    expect_batch(4, 4, layout, {-1, 3, 4, 4, 4, 3});
    expect_batch(5, 5, layout, {2, -1, 4, 4, 4, 3});
    expect_batch(6, 6, layout, {2, 3, -1, 4, 4, 3});
    expect_batch(9, 9, layout, {2, 3, 4, least_a - 1, 4, 3});
    expect_batch(11, 12, layout, {2, 3, 4, 4, least_b - 1, 3});
    expect_batch(14, 16, layout, {2, 3, 4, 4, 4, least_c - 1});
  }
}

// Large enough for more than one kernel. The device dies with the first one, which has already written to C.
void test_dying_device() {
  if (std::getenv("CLGEMM_TEST_DEADLY_OPTION") == nullptr) return;
  constexpr int side = 96;
  const std::vector<float> ones(std::size_t{side} * side, 1.0f);
  for (const float beta : {2.0f, 0.0f, 3.0f}) {
    std::vector<float> c(ones.size(), 5.0f);
    cblas_sgemm(column_major, no, no, side, side, side, 1.0f, ones.data(), side, ones.data(), side, beta,
                c.data(), side);
    check(c == std::vector<float>(ones.size(), side + beta * 5.0f), "a device dies and C is right");
  }
}

}  // namespace

int main() {
  std::setlocale(LC_ALL, "");  // as in many programs
  std::printf("a half is %.1f here\n", 0.5);
  test_dying_device();
  test_results();
  test_batches();
  test_many_in_a_batch();
  test_one_c_twice();
  test_promises();
  test_wrong_arguments();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
