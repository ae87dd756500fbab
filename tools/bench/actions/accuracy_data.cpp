#include "actions/accuracy_data.hpp"

#include <cmath>
#include <limits>

namespace clgemm::bench {
namespace {

void leave(HostData&) {}

void make_positive(HostData& data) {
  for (float& x : data.a) x = std::fabs(x);
  for (float& x : data.b) x = std::fabs(x);
}

// Scales rows of A and columns of B by 2^-40 to 2^40.
void scale_lines(HostData& data) {
  const Size size = data.size();
  const auto exponent = [](std::size_t line) { return static_cast<int>(line * 7 % 81) - 40; };
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = std::ldexp(data.a[i], exponent(i / size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = std::ldexp(data.b[i], exponent(i % size.n));
}

// Returns an exponent from -60 to 60 for each line.
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

// Makes A D times D^-1 B, with D of 2^-40 to 2^40, which cancels between the operands.
void scale_between(HostData& data) {
  const Size size = data.size();
  const auto exponent = [](std::size_t depth) { return static_cast<int>(depth * 29 % 81) - 40; };
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = std::ldexp(data.a[i], exponent(i % size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = std::ldexp(data.b[i], -exponent(i / size.n));
}

// Puts the huge number into one row of A, and B has zeros there. So only the row's other numbers contribute
// to the result.
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

// Makes every second number of a row that small. The others meet zeros.
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

// Uses k = 1024. For this k, fp16 planes take 2^-17 if the line's largest is 2^15.
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

// The first of three kinds of cancellation: every second product subtracts the previous one, except for a few
// bits.
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

// Cancels the first half of the products against the second.
void cancel_halves(HostData& data) {
  const Size size = data.size();
  const std::size_t half = size.k / 2;
  for (std::size_t row = 0; row < size.m; ++row) {
    float* line = &data.a[row * size.k];
    for (std::size_t depth = 0; depth < half; ++depth) line[half + depth] = -line[depth] * (1.0f + 0x1p-20f);
  }
  for (std::size_t i = 0; i < half * size.n; ++i) data.b[half * size.n + i] = data.b[i];
}

// Makes sums of ever larger numbers, and the last product subtracts their sum, except for the last bits.
// Ogita, Rump and Oishi test dot products this way.
void cancel_at_the_end(HostData& data) {
  const Size size = data.size();
  for (std::size_t i = 0; i < data.a.size(); ++i)
    data.a[i] = std::ldexp(data.a[i], -static_cast<int>(8 - i % size.k * 8 / size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = std::fabs(data.b[i]) + 0.5f;
  for (std::size_t row = 0; row < size.m; ++row) {
    double sum = 0.0;
    for (std::size_t depth = 0; depth + 1 < size.k; ++depth)
      sum += double{data.a[row * size.k + depth]} * double{data.b[depth * size.n]};
    data.a[row * size.k + size.k - 1] = static_cast<float>(-sum);
  }
  for (std::size_t depth = 0; depth < size.k; ++depth) {
    for (std::size_t column = 1; column < size.n; ++column)
      data.b[depth * size.n + column] = data.b[depth * size.n];
  }
  for (std::size_t column = 0; column < size.n; ++column) data.b[(size.k - 1) * size.n + column] = 1.0f;
}

// The rows of A are 1, s, s, ..., and the columns of B are 1, t, t, .... Beside the 1, a tensor core cuts
// each product off, and fp32 units that add in order round it away (docs/accuracy.md).
void make_worst(HostData& data) {
  const Size size = data.size();
  const float s = 0x1p-12f * (1.0f - 0x1p-10f);
  const float t = 0x1p-13f * (1.0f - 0x1p-10f);
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = i % size.k == 0 ? 1.0f : s;
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = i / size.n == 0 ? 1.0f : t;
}

// The same with the tiniest numbers that fp16 planes take for this k, 1024 or 4096
// (tests/accuracy/tiles.cpp).
void make_worst_tiny(HostData& data) {
  const Size size = data.size();
  const int depth = std::ilogb(static_cast<double>(size.k));
  const float least = std::ldexp(1.0f, -22 - depth + (size.k > 1024 ? 1 : 0));
  const float partner = std::ldexp(1.0625f, depth - 33);
  for (std::size_t i = 0; i < data.a.size(); ++i) {
    const std::size_t deep = i % size.k;
    data.a[i] = deep == 0 ? 1.0f : deep == 1 ? least : deep < 64 ? 1.875f * least : 0.0f;
  }
  for (std::size_t i = 0; i < data.b.size(); ++i) {
    const std::size_t deep = i / size.n;
    data.b[i] = deep == 0 ? 0.0f : deep == 1 ? 1.0f : deep < 64 ? partner : 0.0f;
  }
}

// Makes every third row of A and every second column of B zero, so C has exact zeros.
void zero_lines(HostData& data) {
  const Size size = data.size();
  for (std::size_t i = 0; i < data.a.size(); ++i) {
    if (i / size.k % 3 == 0) data.a[i] = 0.0f;
  }
  for (std::size_t i = 0; i < data.b.size(); ++i) {
    if (i % size.n % 2 == 0) data.b[i] = 0.0f;
  }
}

// Scales each number by 2^-i, with i below `powers`, in another order in each line (the `span` of arXiv
// 2207.09281).
void span_powers(HostData& data, int powers) {
  const Size size = data.size();
  const auto exponent = [powers](std::size_t line, std::size_t depth) {
    return -static_cast<int>((depth * 37 + line * 11) % static_cast<std::size_t>(powers));
  };
  for (std::size_t i = 0; i < data.a.size(); ++i)
    data.a[i] = std::ldexp(data.a[i], exponent(i / size.k, i % size.k));
  for (std::size_t i = 0; i < data.b.size(); ++i)
    data.b[i] = std::ldexp(data.b[i], exponent(i % size.n, i / size.n));
}

template <int powers>
void span(HostData& data) {
  span_powers(data, powers);
}

// Integers up to 63 in A and B, so that sums of 4096 products stay below 2^24.
void make_integers(HostData& data) {
  for (float& x : data.a) x = std::trunc(x * 64.0f);
  for (float& x : data.b) x = std::trunc(x * 64.0f);
}

// The same products in another order, in odd steps along k.
void permute_integers(HostData& data) {
  make_integers(data);
  const HostData before = data;
  const Size size = data.size();
  for (std::size_t depth = 0; depth < size.k; ++depth) {
    const std::size_t from = depth * 77 % size.k;
    for (std::size_t row = 0; row < size.m; ++row)
      data.a[row * size.k + depth] = before.a[row * size.k + from];
    for (std::size_t column = 0; column < size.n; ++column)
      data.b[depth * size.n + column] = before.b[from * size.n + column];
  }
}

// Normal numbers with denormal products.
void make_denormal_out(HostData& data) {
  for (float& x : data.a) x = std::ldexp(x, -70);
  for (float& x : data.b) x = std::ldexp(x, -70);
}

void scale(std::vector<float>& matrix, int exponent) {
  for (float& x : matrix) x = std::ldexp(x, exponent);
}

// From half to twice 2^-110, so that some numbers are below the range of planes.
void near_least_of_planes(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-111f + std::fabs(x) * 0x1.8p-110f, x);
}

// Just above that range, so that all numbers fit planes.
void above_least_of_planes(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-110f + std::fabs(x) * 0x1p-110f, x);
}

void near_least_normal(HostData& data) {
  for (float& x : data.a) x = std::copysign(0x1p-127f + std::fabs(x) * 0x1.8p-126f, x);
}

// So large that a rounded plane would be Inf. The products stay in range.
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

// Puts one into every second row of A, each time at another place along k, so that every place of a tile has
// one.
void put_everywhere(HostData& data, float first, float second) {
  const Size size = data.size();
  for (std::size_t row = 0; row < size.m; row += 2)
    data.a[row * size.k + row / 2 * 5 % size.k] = row % 4 == 0 ? first : second;
}

void with_infinities_everywhere(HostData& data) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  put_everywhere(data, infinity, -infinity);
  for (std::size_t column = 0; column < data.size().n; column += 3) data.b[column] = 0.0f;  // Inf times 0
}

void with_nans_everywhere(HostData& data) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  put_everywhere(data, nan, -nan);
}

void with_overflow_everywhere(HostData& data) {
  put_everywhere(data, 0x1p127f, -0x1p127f);
  for (float& x : data.b) x = std::copysign(4.0f + std::fabs(x), x);
}

// Products beyond the largest number, with both signs.
void with_overflow(HostData& data) {
  data.a[0] = 0x1p100f;
  data.b[0] = 0x1p100f;
  data.b[1] = -0x1p100f;
}

}  // namespace

const std::vector<AccuracyCase>& accuracy_cases() {
  static const std::vector<AccuracyCase> cases = {
      {"uniform in [-1, 1)", 1, true, false, leave},
      {"uniform in [-1, 1)", 32, true, false, leave},
      {"uniform in [-1, 1)", 512, true, false, leave},
      {"uniform in [-1, 1)", 1024, true, false, leave},
      {"uniform in [-1, 1)", 4096, true, false, leave},
      {"uniform in [-1, 1)", 65536, true, false, leave},
      {"positive", 32, true, false, make_positive},
      {"positive", 128, true, false, make_positive},
      {"positive", 512, true, false, make_positive},
      {"positive", 4096, true, false, make_positive},
      {"positive", 65536, true, false, make_positive},
      {"worst case", 17, true, false, make_worst},
      {"worst case", 32, true, false, make_worst},
      {"worst case", 64, true, false, make_worst},
      {"worst case", 512, true, false, make_worst},
      {"worst case", 4096, true, false, make_worst},
      {"worst case", 65536, true, false, make_worst},
      {"worst case, tiny", 1024, true, false, make_worst_tiny},
      {"worst case, tiny", 4096, true, false, make_worst_tiny},
      {"zero rows and columns", 512, true, false, zero_lines},
      {"numbers by 2^-3 to 1", 1024, true, false, span<4>},
      {"numbers by 2^-7 to 1", 1024, true, false, span<8>},
      {"numbers by 2^-15 to 1", 1024, true, false, span<16>},
      {"numbers by 2^-23 to 1", 1024, true, false, span<24>},
      {"numbers by 2^-47 to 1", 1024, true, false, span<48>},
      {"integers", 4096, true, true, make_integers},
      {"integers, k permuted", 4096, true, true, permute_integers},
      {"rows, columns by 2^-40 to 2^40", 4096, true, false, scale_lines},
      {"rows by 2^-60 to 2^60", 1024, true, false, scale_rows},
      {"columns by 2^-60 to 2^60", 1024, true, false, scale_columns},
      {"rows, columns by 2^-60 to 2^60", 1024, true, false, scale_rows_and_columns},
      {"A D, D^-1 B, D of 2^-40 to 2^40", 1024, true, false, scale_between},
      {"one of 2^6 in a row", 1024, true, false, with_large_number},
      {"one of 2^40 in a row", 1024, true, false, with_huge_number},
      {"tiny ones, 2^-29", 1024, true, false, with_tiny_numbers_in_range},
      {"tiny ones, 2^-40", 1024, true, false, with_tiny_numbers_out_of_range},
      {"denormal", 1024, true, false, make_denormal},
      {"cancelling", 4096, true, false, cancel},
      {"cancelling", 512, true, false, cancel},
      {"cancelling by halves", 1024, true, false, cancel_halves},
      {"cancelling at the end", 1024, true, false, cancel_at_the_end},
      {"denormal results", 1024, true, false, make_denormal_out},
      {"2^-110 to 2^-109", 1024, true, false, above_least_of_planes},
      {"around 2^-110", 1024, true, false, near_least_of_planes},
      {"around 2^-126", 1024, true, false, near_least_normal},
      {"3.4e38 by 2^-60", 1024, true, false, near_largest},
      {"3.4e38 by 2^-30", 1024, true, false, near_overflow},
      {"with Inf", 1024, false, false, with_infinities},
      {"with NaN", 1024, false, false, with_nans},
      {"with overflow", 1024, false, false, with_overflow},
      {"Inf at every place", 300, false, false, with_infinities_everywhere},
      {"NaN at every place", 300, false, false, with_nans_everywhere},
      {"overflow at every place", 300, false, false, with_overflow_everywhere},
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
