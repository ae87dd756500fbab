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
      {"positive", 512, true, make_positive},
      {"positive", 4096, true, make_positive},
      {"positive", 65536, true, make_positive},
      {"rows, columns by 2^-40 to 2^40", 4096, true, scale_lines},
      {"cancelling", 4096, true, cancel},
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
