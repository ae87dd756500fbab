#include "actions/accuracy_data.hpp"

#include <cmath>
#include <limits>

namespace clgemm::bench {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

// Changes each number of A. `change` takes the number, its row, and its place along k.
template <class Change>
void each_of_a(HostData& data, const Change& change) {
  const std::size_t k = data.size().k;
  for (std::size_t i = 0; i < data.a.size(); ++i) data.a[i] = change(data.a[i], i / k, i % k);
}

// The same for B, with the column.
template <class Change>
void each_of_b(HostData& data, const Change& change) {
  const std::size_t n = data.size().n;
  for (std::size_t i = 0; i < data.b.size(); ++i) data.b[i] = change(data.b[i], i % n, i / n);
}

template <class Change>
void each(HostData& data, const Change& change) {
  each_of_a(data, change);
  each_of_b(data, change);
}

// Scales all numbers of A and of B by these powers of two.
void scale(HostData& data, int a, int b) {
  each_of_a(data, [a](float x, std::size_t, std::size_t) { return std::ldexp(x, a); });
  each_of_b(data, [b](float x, std::size_t, std::size_t) { return std::ldexp(x, b); });
}

// Scales a number by 2^-60 to 2^60, the same for its whole line.
float scaled_widely(float x, std::size_t line, std::size_t /*depth*/) {
  return std::ldexp(x, static_cast<int>(line * 37 % 121) - 60);
}

// Makes A D and D^-1 B, with D of 2^-40 to 2^40, which cancels between the operands.
void scale_between(HostData& data) {
  const auto exponent = [](std::size_t depth) { return static_cast<int>(depth * 29 % 81) - 40; };
  each_of_a(data, [&](float x, std::size_t, std::size_t depth) { return std::ldexp(x, exponent(depth)); });
  each_of_b(data, [&](float x, std::size_t, std::size_t depth) { return std::ldexp(x, -exponent(depth)); });
}

// Puts the huge number into one row of A, and B has zeros there. So only the row's other numbers contribute
// to the result.
void put_huge_number(HostData& data, int exponent) {
  const std::size_t middle = data.size().m / 2;
  each_of_a(data, [&](float x, std::size_t row, std::size_t depth) {
    return depth > 0 ? x : row == middle ? std::ldexp(1.0f, exponent) : 0.0f;
  });
  each_of_b(data, [](float x, std::size_t, std::size_t depth) { return depth > 0 ? x : 0.0f; });
}

// Makes every second number of a row that small. The others meet zeros.
void put_tiny_numbers(HostData& data, int exponent) {
  each_of_a(data, [exponent](float x, std::size_t, std::size_t depth) {
    return std::copysign(depth % 2 == 0 ? 1.0f : std::ldexp(1.0f + std::fabs(x), exponent), x);
  });
  each_of_b(data, [](float x, std::size_t, std::size_t depth) { return depth % 2 == 0 ? 0.0f : x; });
}

// Makes the products at the places for which `is_second` returns true subtract those `distance` before,
// except for a few bits.
template <class IsSecond>
void cancel(HostData& data, std::size_t distance, const IsSecond& is_second) {
  const Size size = data.size();
  each_of_a(data, [&](float x, std::size_t row, std::size_t depth) {
    return is_second(depth) ? -data.a[row * size.k + depth - distance] * (1.0f + 0x1p-20f) : x;
  });
  each_of_b(data, [&](float x, std::size_t column, std::size_t depth) {
    return is_second(depth) ? data.b[(depth - distance) * size.n + column] : x;
  });
}

// Makes sums of ever larger numbers, and the last product subtracts their sum, except for the last bits.
// Ogita, Rump and Oishi test dot products this way.
void cancel_at_the_end(HostData& data) {
  const Size size = data.size();
  each_of_b(data, [&](float x, std::size_t column, std::size_t depth) {
    if (depth + 1 == size.k) return 1.0f;
    return column == 0 ? std::fabs(x) + 0.5f : data.b[depth * size.n];
  });
  each_of_a(data, [&](float x, std::size_t row, std::size_t depth) {
    if (depth + 1 < size.k) return std::ldexp(x, -static_cast<int>(8 - depth * 8 / size.k));
    double sum = 0.0;
    for (std::size_t i = 0; i < depth; ++i)
      sum += double{data.a[row * size.k + i]} * double{data.b[i * size.n]};
    return static_cast<float>(-sum);
  });
}

// The rows of A are 1, s, s, ..., and the columns of B are 1, t, t, .... Beside the 1, a tensor core cuts
// each product off, and fp32 units that add in order round it away (docs/accuracy.md).
void make_worst(HostData& data) {
  constexpr float s = 0x1p-12f * (1.0f - 0x1p-10f);
  constexpr float t = 0x1p-13f * (1.0f - 0x1p-10f);
  each_of_a(data, [](float, std::size_t, std::size_t depth) { return depth == 0 ? 1.0f : s; });
  each_of_b(data, [](float, std::size_t, std::size_t depth) { return depth == 0 ? 1.0f : t; });
}

// The same with the tiniest numbers that fp16 planes take for this k, 1024 or 4096
// (tests/accuracy/tiles.cpp).
void make_worst_tiny(HostData& data) {
  const std::size_t k = data.size().k;
  const int log_k = std::ilogb(static_cast<double>(k));
  const float least = std::ldexp(1.0f, -22 - log_k + (k > 1024 ? 1 : 0));
  const float partner = std::ldexp(1.0625f, log_k - 33);
  each_of_a(data, [&](float, std::size_t, std::size_t depth) {
    return depth == 0 ? 1.0f : depth == 1 ? least : depth < 64 ? 1.875f * least : 0.0f;
  });
  each_of_b(data, [&](float, std::size_t, std::size_t depth) {
    return depth == 0 ? 0.0f : depth == 1 ? 1.0f : depth < 64 ? partner : 0.0f;
  });
}

// Makes every third row of A and every second column of B zero, so C has exact zeros.
void zero_lines(HostData& data) {
  each_of_a(data, [](float x, std::size_t row, std::size_t) { return row % 3 == 0 ? 0.0f : x; });
  each_of_b(data, [](float x, std::size_t column, std::size_t) { return column % 2 == 0 ? 0.0f : x; });
}

// Scales each number by 2^-i, with i below `powers`, in another order in each line (the `span` of arXiv
// 2207.09281).
template <std::size_t powers>
void span(HostData& data) {
  each(data, [](float x, std::size_t line, std::size_t depth) {
    return std::ldexp(x, -static_cast<int>((depth * 37 + line * 11) % powers));
  });
}

// Integers up to 63 in A and B, so that sums of 4096 products stay below 2^24.
void make_integers(HostData& data) {
  each(data, [](float x, std::size_t, std::size_t) { return std::trunc(x * 64.0f); });
}

// The same products in another order, in odd steps along k.
void permute_integers(HostData& data) {
  make_integers(data);
  const HostData before = data;
  const Size size = data.size();
  each_of_a(data, [&](float, std::size_t row, std::size_t depth) {
    return before.a[row * size.k + depth * 77 % size.k];
  });
  each_of_b(data, [&](float, std::size_t column, std::size_t depth) {
    return before.b[depth * 77 % size.k * size.n + column];
  });
}

// Gives the numbers of A magnitudes from `least` to `least + width`. Their signs stay.
void set_range_of_a(HostData& data, float least, float width) {
  each_of_a(data, [&](float x, std::size_t, std::size_t) {
    return std::copysign(least + std::fabs(x) * width, x);
  });
}

// Numbers of A so large that a rounded plane would be Inf.
void near_largest(HostData& data, int exponent_of_b) {
  each_of_a(data, [](float x, std::size_t, std::size_t) {
    return std::copysign(largest * (1.0f - 0.01f * std::fabs(x)), x);
  });
  scale(data, 0, exponent_of_b);
}

// Puts one into every second row of A, each time at another place along k, so that every place of a tile has
// one.
void put_everywhere(HostData& data, float first, float second) {
  const std::size_t k = data.size().k;
  each_of_a(data, [&](float x, std::size_t row, std::size_t depth) {
    if (row % 2 != 0 || depth != row / 2 * 5 % k) return x;
    return row % 4 == 0 ? first : second;
  });
}

const HardNumbers all_numbers[] = {
    {"uniform in [-1, 1)", {1, 32, 512, 1024, 4096, 65536}, [](HostData&) {}},
    {"positive",
     {32, 128, 512, 4096, 65536},
     [](HostData& data) { each(data, [](float x, std::size_t, std::size_t) { return std::fabs(x); }); }},
    {"worst case", {17, 32, 64, 512, 4096, 65536}, make_worst},
    {"worst case with tiny numbers", {1024, 4096}, make_worst_tiny},
    // The products are too small for TF32, so TF32 kernels compute all tiles in plain fp32.
    {"worst case times 2^-112",
     {512},
     [](HostData& data) {
       make_worst(data);
       scale(data, -56, -56);
     }},
    {"zero rows and columns", {512}, zero_lines},
    {"each number times 2^-3 to 1", {1024}, span<4>},
    {"each number times 2^-7 to 1", {1024}, span<8>},
    {"each number times 2^-15 to 1", {1024}, span<16>},
    {"each number times 2^-23 to 1", {1024}, span<24>},
    {"each number times 2^-47 to 1", {1024}, span<48>},
    {"integers", {4096}, make_integers, true, true},
    {"integers, k permuted", {4096}, permute_integers, true, true},
    {"rows and columns times 2^-40 to 2^40",
     {4096},
     [](HostData& data) {
       each(data, [](float x, std::size_t line, std::size_t) {
         return std::ldexp(x, static_cast<int>(line * 7 % 81) - 40);
       });
     }},
    {"rows times 2^-60 to 2^60", {1024}, [](HostData& data) { each_of_a(data, scaled_widely); }},
    {"columns times 2^-60 to 2^60", {1024}, [](HostData& data) { each_of_b(data, scaled_widely); }},
    {"rows and columns times 2^-60 to 2^60", {1024}, [](HostData& data) { each(data, scaled_widely); }},
    {"A D and D^-1 B, with D from 2^-40 to 2^40", {1024}, scale_between},
    {"one number 2^6 in a row of A", {1024}, [](HostData& data) { put_huge_number(data, 6); }},
    {"one number 2^40 in a row of A", {1024}, [](HostData& data) { put_huge_number(data, 40); }},
    // For this k, fp16 planes take 2^-17 if the line's largest is 2^15.
    {"with tiny numbers, 2^-29", {1024}, [](HostData& data) { put_tiny_numbers(data, -29); }},
    {"with tiny numbers, 2^-40", {1024}, [](HostData& data) { put_tiny_numbers(data, -40); }},
    {"denormal numbers", {1024}, [](HostData& data) { scale(data, -127, 60); }},
    {"pairs cancel",
     {4096, 512},
     [](HostData& data) { cancel(data, 1, [](std::size_t depth) { return depth % 2 != 0; }); }},
    {"halves cancel",
     {1024},
     [](HostData& data) {
       const std::size_t half = data.size().k / 2;
       cancel(data, half, [half](std::size_t depth) { return depth >= half; });
     }},
    {"the last product cancels the sum", {1024}, cancel_at_the_end},
    {"denormal results", {1024}, [](HostData& data) { scale(data, -70, -70); }},
    // Just above the range of planes, so that all numbers fit. Then some numbers are below it.
    {"numbers from 2^-110 to 2^-109",
     {1024},
     [](HostData& data) { set_range_of_a(data, 0x1p-110f, 0x1p-110f); }},
    {"numbers around 2^-110", {1024}, [](HostData& data) { set_range_of_a(data, 0x1p-111f, 0x1.8p-110f); }},
    {"numbers around 2^-126", {1024}, [](HostData& data) { set_range_of_a(data, 0x1p-127f, 0x1.8p-126f); }},
    // The products stay in range. Then their sums may overflow on the way.
    {"3.4e38 times 2^-60", {1024}, [](HostData& data) { near_largest(data, -60); }},
    {"3.4e38 times 2^-30", {1024}, [](HostData& data) { near_largest(data, -30); }},
    {"with Inf",
     {1024},
     [](HostData& data) {
       data.a[data.size().k / 2] = infinity;
       data.a.back() = -infinity;
       data.b[data.size().n / 2] = infinity;
     },
     false},
    {"with NaN",
     {1024},
     [](HostData& data) {
       data.a[data.size().k - 1] = nan;
       data.b.back() = nan;
     },
     false},
    // Products beyond the largest number, with both signs.
    {"with overflow",
     {1024},
     [](HostData& data) {
       data.a[0] = data.b[0] = 0x1p100f;
       data.b[1] = -0x1p100f;
     },
     false},
    {"Inf at every place",
     {300},
     [](HostData& data) {
       put_everywhere(data, infinity, -infinity);
       for (std::size_t column = 0; column < data.size().n; column += 3)
         data.b[column] = 0.0f;  // Inf times 0
     },
     false},
    {"NaN at every place", {300}, [](HostData& data) { put_everywhere(data, nan, -nan); }, false},
    {"overflow at every place",
     {300},
     [](HostData& data) {
       put_everywhere(data, 0x1p127f, -0x1p127f);
       for (float& x : data.b) x = std::copysign(4.0f + std::fabs(x), x);
     },
     false}};

}  // namespace

std::span<const HardNumbers> hard_numbers() {
  return all_numbers;
}

HostData data_of(const HardNumbers& numbers, std::size_t side, std::size_t k, GemmKind kind) {
  kind.alpha = 1.0f;
  kind.beta = 0.0f;
  HostData data = make_host_data(call_of(kind, {side, side, k}));
  numbers.shape(data);
  return data;
}

}  // namespace clgemm::bench
