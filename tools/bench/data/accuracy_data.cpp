#include "data/accuracy_data.hpp"

#include <cmath>
#include <limits>

namespace clgemm::bench {
namespace {

void leave(HostData&) {}

void make_positive(HostData& data) {
  for (float& x : data.a) x = std::fabs(x);
  for (float& x : data.b) x = std::fabs(x);
}

// Rows of A and columns of B by 2^-40 to 2^40.
void scale_lines(HostData& data) {
  const Size size = data.size();
  const auto exponent = [](std::size_t line) { return static_cast<int>(line * 7 % 81) - 40; };
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = std::ldexp(data.a[i], exponent(i / size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = std::ldexp(data.b[i], exponent(i % size.n));
}

// Lines by 2^-60 to 2^60.
int wide_exponent(std::size_t line) {
  return static_cast<int>(line * 37 % 121) - 60;
}

void scale_rows(HostData& data) {
  const Size size = data.size();
  for (std::size_t i = 0; i < data.a.size(); ++i)
    data.a[i] = std::ldexp(data.a[i], wide_exponent(i / size.k));
}

void scale_columns(HostData& data) {
  const Size size = data.size();
  for (std::size_t i = 0; i < data.b.size(); ++i)
    data.b[i] = std::ldexp(data.b[i], wide_exponent(i % size.n));
}

void scale_rows_and_columns(HostData& data) {
  scale_rows(data);
  scale_columns(data);
}

// A D times D^-1 B, with D of 2^-40 to 2^40: what cancels between the operands.
void scale_between(HostData& data) {
  const Size size = data.size();
  const auto exponent = [](std::size_t depth) { return static_cast<int>(depth * 29 % 81) - 40; };
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = std::ldexp(data.a[i], exponent(i % size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = std::ldexp(data.b[i], -exponent(i / size.n));
}

// In one row of A, where B has zeros: what the row's other numbers come to is all that shows.
void with_huge_number(HostData& data, int exponent) {
  const Size size = data.size();
  for (std::size_t row = 0; row < size.m; ++row) data.a[row * size.k] = 0.0f;
  data.a[size.m / 2 * size.k] = std::ldexp(1.0f, exponent);
  for (std::size_t column = 0; column < size.n; ++column) data.b[column] = 0.0f;
}

void with_large_number(HostData& data) {
  with_huge_number(data, 6);
}

void with_huge_number(HostData& data) {
  with_huge_number(data, 40);
}

// Every second number of a row is so small, and the others meet zeros.
void with_tiny_numbers(HostData& data, int exponent) {
  const Size size = data.size();
  for (std::size_t i = 0; i < data.a.size(); ++i) {
    float& x = data.a[i];
    x = i % size.k % 2 == 0 ? std::copysign(1.0f, x)
                            : std::copysign(std::ldexp(1.0f + std::fabs(x), exponent), x);
  }
  for (std::size_t i = 0; i < data.b.size(); ++i) {
    if (i / size.n % 2 == 0) data.b[i] = 0.0f;
  }
}

// k = 1024: fp16 planes hold 2^-18 beside a line's largest of 2^14, and three bits less where a later number
// may be larger.
void with_tiny_numbers_in_range(HostData& data) {
  with_tiny_numbers(data, -29);
}

void with_tiny_numbers_out_of_range(HostData& data) {
  with_tiny_numbers(data, -40);
}

void make_denormal(HostData& data) {
  for (float& x : data.a) x = std::ldexp(x, -127);
  for (float& x : data.b) x = std::ldexp(x, 60);
}

// Every second product takes the one before away again, but for a few bits.
void cancel(HostData& data) {
  const Size size = data.size();
  for (std::size_t row = 0; row < size.m; ++row) {
    for (std::size_t depth = 1; depth < size.k; depth += 2) {
      data.a[row * size.k + depth] = -data.a[row * size.k + depth - 1] * (1.0f + 0x1p-20f);
    }
  }
  for (std::size_t depth = 1; depth < size.k; depth += 2) {
    for (std::size_t column = 0; column < size.n; ++column) {
      data.b[depth * size.n + column] = data.b[(depth - 1) * size.n + column];
    }
  }
}

void scale(std::vector<float>& matrix, int exponent) {
  for (float& x : matrix) x = std::ldexp(x, exponent);
}

// From half to twice 2^-110, so that some are below what planes hold.
void near_least_of_planes(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-111f + std::fabs(x) * 0x1.8p-110f, x);
}

// Just above it: all in planes.
void above_least_of_planes(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-110f + std::fabs(x) * 0x1p-110f, x);
}

void near_least_normal(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-127f + std::fabs(x) * 0x1.8p-126f, x);
}

// So large that a rounded plane would be Inf; the products stay in range.
void near_largest(HostData& data) {
  constexpr float largest = std::numeric_limits<float>::max();
  for (float& x : data.a) x = std::copysign(largest * (1.0f - 0.01f * std::fabs(x)), x);
  scale(data.b, -60);
}

// The same with products whose sums may overflow on the way.
void near_overflow(HostData& data) {
  near_largest(data);
  scale(data.b, 30);
}

void with_infinities(HostData& data) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  data.a[data.size().k / 2] = infinity;
  data.a[data.a.size() - 1] = -infinity;
  data.b[data.size().n / 2] = infinity;
}

void with_nans(HostData& data) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  data.a[data.size().k - 1] = nan;
  data.b[data.b.size() - 1] = nan;
}

// Products beyond the largest number, of both signs.
void with_overflow(HostData& data) {
  data.a[0] = 0x1p100f;
  data.b[0] = 0x1p100f;
  data.b[1] = -0x1p100f;
}

}  // namespace

const std::vector<AccuracyCase>& accuracy_cases() {
  static const std::vector<AccuracyCase> cases = {
      {"uniform in [-1, 1)", 1, true, leave},
      {"uniform in [-1, 1)", 32, true, leave},
      {"uniform in [-1, 1)", 512, true, leave},
      {"uniform in [-1, 1)", 1024, true, leave},
      {"uniform in [-1, 1)", 4096, true, leave},
      {"uniform in [-1, 1)", 65536, true, leave},
      {"positive", 32, true, make_positive},
      {"positive", 128, true, make_positive},
      {"positive", 512, true, make_positive},
      {"positive", 4096, true, make_positive},
      {"positive", 65536, true, make_positive},
      {"rows, columns by 2^-40 to 2^40", 4096, true, scale_lines},
      {"rows by 2^-60 to 2^60", 1024, true, scale_rows},
      {"columns by 2^-60 to 2^60", 1024, true, scale_columns},
      {"rows, columns by 2^-60 to 2^60", 1024, true, scale_rows_and_columns},
      {"A D, D^-1 B, D of 2^-40 to 2^40", 1024, true, scale_between},
      {"one of 2^6 in a row", 1024, true, with_large_number},
      {"one of 2^40 in a row", 1024, true, with_huge_number},
      {"tiny ones, 2^-29", 1024, true, with_tiny_numbers_in_range},
      {"tiny ones, 2^-40", 1024, true, with_tiny_numbers_out_of_range},
      {"denormal", 1024, true, make_denormal},
      {"cancelling", 4096, true, cancel},
      {"cancelling", 512, true, cancel},
      {"2^-110 to 2^-109", 1024, true, above_least_of_planes},
      {"around 2^-110", 1024, true, near_least_of_planes},
      {"around 2^-126", 1024, true, near_least_normal},
      {"3.4e38 by 2^-60", 1024, true, near_largest},
      {"3.4e38 by 2^-30", 1024, true, near_overflow},
      {"with Inf", 1024, false, with_infinities},
      {"with NaN", 1024, false, with_nans},
      {"with overflow", 1024, false, with_overflow},
  };
  return cases;
}

HostData accuracy_data(const AccuracyCase& one, std::size_t side, MultiplyKind kind) {
  kind.alpha = 1.0f;
  kind.beta = 0.0f;
  HostData data = make_host_data(call_of(kind, {side, side, one.k}));
  one.shape(data);
  return data;
}

}  // namespace clgemm::bench
