#include "accuracy/tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace clgemm::test {
namespace {

constexpr std::size_t side = 16;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

constexpr std::size_t depths[] = {1,   2,   7,   8,   9,   15,   16,   17,   24,   31,   32,   33,  40,  48,
                                  63,  64,  65,  80,  96,  100,  127,  128,  129,  160,  192,  200, 256, 257,
                                  320, 500, 512, 640, 777, 1000, 1024, 1025, 1056, 1200, 1500, 2000};

using Family = void (*)(TileCall& call, Numbers& numbers);

template <class Change>
void change_both(TileCall& call, const Change& change) {
  for (float& x : call.a) x = change(x);
  for (float& x : call.b) x = change(x);
}

void leave(TileCall&, Numbers&) {}

void make_positive(TileCall& call, Numbers&) {
  change_both(call, [](float x) { return std::fabs(x); });
}

// Numbers of 11 bits. Each product has one part only, so the sums show single instructions.
void make_short(TileCall& call, Numbers&) {
  change_both(call, [](float x) { return std::trunc(x * 2048.0f); });
}

// Numbers of 8 bits, scaled by 2^-15 to 1, which bf16 and fp16 represent exactly.
void make_short_and_wide(TileCall& call, Numbers& numbers) {
  change_both(call, [&](float x) {
    return std::ldexp(std::trunc(x * 256.0f), -static_cast<int>(numbers.below(16)));
  });
}

void make_wide(TileCall& call, Numbers& numbers, std::size_t powers) {
  change_both(call, [&](float x) { return std::ldexp(x, -static_cast<int>(numbers.below(powers))); });
}

void make_wide(TileCall& call, Numbers& numbers) {
  make_wide(call, numbers, 10);
}

// Beyond the range of fp16 planes.
void make_very_wide(TileCall& call, Numbers& numbers) {
  make_wide(call, numbers, 40);
}

// Beyond the range of TF32 parts and bf16 planes, too.
void make_extremely_wide(TileCall& call, Numbers& numbers) {
  make_wide(call, numbers, 120);
}

// Near the smallest numbers that fp16 planes take.
void add_small_ones(TileCall& call, Numbers& numbers) {
  change_both(call, [&](float x) {
    return numbers.below(8) == 0 ? std::ldexp(x, -12 - static_cast<int>(numbers.below(14))) : x;
  });
}

// Numbers that are denormal in fp16, next to numbers that meet zeros.
void make_denormal_planes(TileCall& call, Numbers& numbers) {
  for (std::size_t i = 0; i < call.a.size(); ++i) {
    const std::size_t depth = i % call.k;
    call.a[i] =
        depth % 4 == 0 ? numbers.sign() : std::ldexp(call.a[i], -27 - static_cast<int>(numbers.below(3)));
  }
  for (std::size_t i = 0; i < call.b.size(); ++i) {
    if (i % call.k % 4 == 0) call.b[i] = 0.0f;
  }
}

void scale_lines(TileCall& call, Numbers&) {
  const std::size_t k = call.k;
  for (std::size_t i = 0; i < call.a.size(); ++i)
    call.a[i] = std::ldexp(call.a[i], static_cast<int>(i / k * 7 % 61) - 30);
  for (std::size_t i = 0; i < call.b.size(); ++i)
    call.b[i] = std::ldexp(call.b[i], static_cast<int>(i / k * 11 % 61) - 30);
}

void cancel(TileCall& call, Numbers&) {
  const std::size_t k = call.k;
  for (std::size_t i = 0; i < call.a.size(); ++i) {
    if (i % k % 2 == 1) call.a[i] = -call.a[i - 1] * (1.0f + 0x1p-20f);
  }
  for (std::size_t i = 0; i < call.b.size(); ++i) {
    if (i % k % 2 == 1) call.b[i] = call.b[i - 1];
  }
}

void make_worst(TileCall& call, Numbers&) {
  const TileCall worst = worst_case(call.rows, call.columns, call.k);
  call.a = worst.a;
  call.b = worst.b;
}

// Like the worst case, with small changes to each number, and some signs.
void make_near_worst(TileCall& call, Numbers& numbers) {
  make_worst(call, numbers);
  change_both(call, [&](float x) {
    return x == 1.0f ? x : x * (1.0f + numbers.uniform() * 0x1p-6f) * (numbers.below(16) == 0 ? -1.0f : 1.0f);
  });
}

// Short sums of large integers, which are exact or lose the last bits.
void make_integers(TileCall& call, Numbers&) {
  change_both(call, [](float x) { return std::trunc(x * 64.0f); });
}

// Zeros as in the output of ReLU and in sparse data.
void add_zeros(TileCall& call, Numbers& numbers) {
  change_both(call, [&](float x) { return numbers.below(3) != 0 ? 0.0f : x; });
}

void make_denormal(TileCall& call, Numbers&) {
  for (float& x : call.a) x = std::ldexp(x, -127);
  for (float& x : call.b) x = std::ldexp(x, 60);
}

void make_denormal_results(TileCall& call, Numbers&) {
  for (float& x : call.a) x = std::ldexp(x, -70);
  for (float& x : call.b) x = std::ldexp(x, -70);
}

void make_large(TileCall& call, Numbers&) {
  for (float& x : call.a) x = std::copysign(largest * (1.0f - 0.01f * std::fabs(x)), x);
  for (float& x : call.b) x = std::ldexp(x, -30);
}

// Results near the largest number, some of them beyond it.
void make_overflow(TileCall& call, Numbers&) {
  for (float& x : call.a) x = std::ldexp(x, 100);
  for (float& x : call.b) x = std::ldexp(x, 28);
}

void add_infinity(TileCall& call, Numbers& numbers) {
  call.a[numbers.below(side * call.k)] = infinity;
  call.b[numbers.below(side * call.k)] = -infinity;
}

void add_nan(TileCall& call, Numbers& numbers) {
  call.a[numbers.below(side * call.k)] = nan;
}

struct Named {
  const char* name;
  Family make;
};

constexpr Named families[] = {{"uniform", leave},
                              {"positive", make_positive},
                              {"11 bits", make_short},
                              {"8 bits, wide", make_short_and_wide},
                              {"wide", make_wide},
                              {"worst case", make_worst},
                              {"near the worst case", make_near_worst},
                              {"cancelling", cancel},
                              {"lines by 2^-30 to 2^30", scale_lines},
                              {"small ones", add_small_ones},
                              {"denormal planes", make_denormal_planes},
                              {"integers", make_integers},
                              {"many zeros", add_zeros},
                              {"very wide", make_very_wide},
                              {"extremely wide", make_extremely_wide},
                              {"denormal", make_denormal},
                              {"denormal results", make_denormal_results},
                              {"large", make_large},
                              {"overflow", make_overflow},
                              {"one infinity", add_infinity},
                              {"one NaN", add_nan}};

// Returns the nearest number of a format towards zero.
float cut_to(const Instruction& instruction, float x) {
  if (!std::isfinite(x) || x == 0.0f) return x;
  if (instruction.least_exponent == least_of_fp16 && std::fabs(x) >= 0x1p16f)
    return std::copysign(65504.0f, x);
  const int exponent = std::max(std::ilogb(x), instruction.least_exponent) - instruction.significant_bits + 1;
  return static_cast<float>(std::ldexp(std::trunc(std::ldexp(double{x}, -exponent)), exponent));
}

using InstructionFamily = void (*)(TileCall& call, Numbers& numbers, int least_exponent);

void leave_all(TileCall&, Numbers&, int) {}

void add_to_zero(TileCall& call, Numbers&, int) {
  for (float& x : call.c) x = 0.0f;
}

void vary_exponents(TileCall& call, Numbers& numbers, int) {
  make_wide(call, numbers, 12);
  for (float& x : call.c) x = std::ldexp(x, 4 - static_cast<int>(numbers.below(30)));
}

// Each product is near the last bit that is kept beside the first product, or beside the sum.
void add_last_bits(TileCall& call, Numbers& numbers, int) {
  const std::size_t k = call.k;
  for (std::size_t i = 0; i < call.a.size(); ++i)
    call.a[i] = i % k == 0 ? numbers.sign() : std::ldexp(call.a[i], -11 - static_cast<int>(numbers.below(3)));
  for (std::size_t i = 0; i < call.b.size(); ++i)
    call.b[i] = i % k == 0 ? 1.0f : std::ldexp(call.b[i], -11 - static_cast<int>(numbers.below(3)));
  for (float& x : call.c) x = std::ldexp(x, static_cast<int>(numbers.below(4)) - 2);
}

// The sum cancels the products, except for some last bits, or completely.
void take_away(TileCall& call, Numbers& numbers, int) {
  for (std::size_t i = 0; i < call.c.size(); ++i) {
    double sum = 0.0;
    for (std::size_t deep = 0; deep < call.k; ++deep)
      sum +=
          double{call.a[i / call.columns * call.k + deep]} * double{call.b[i % call.columns * call.k + deep]};
    call.c[i] =
        static_cast<float>(-sum) * (numbers.below(3) == 0 ? 1.0f : 1.0f + numbers.uniform() * 0x1p-18f);
  }
}

void use_denormal_factors(TileCall& call, Numbers& numbers, int least_exponent) {
  for (float& x : call.a)
    x = std::ldexp(x, numbers.below(4) == 0 ? 0 : least_exponent + 2 - static_cast<int>(numbers.below(6)));
  for (float& x : call.b)
    x = std::ldexp(x, least_exponent == least_of_fp16 ? -static_cast<int>(numbers.below(14))
                                                      : static_cast<int>(numbers.below(100)));
  for (float& x : call.c)
    x = std::ldexp(x, least_exponent == least_of_fp16 ? -14 - static_cast<int>(numbers.below(20))
                                                      : -static_cast<int>(numbers.below(140)));
}

void use_tiny_sums(TileCall& call, Numbers& numbers, int least_exponent) {
  if (least_exponent != least_of_fp16)
    change_both(call, [&](float x) { return std::ldexp(x, -62 - static_cast<int>(numbers.below(10))); });
  for (float& x : call.c) x = std::ldexp(x, -120 - static_cast<int>(numbers.below(25)));
}

void use_large_numbers(TileCall& call, Numbers& numbers, int least_exponent) {
  const int most = least_exponent == least_of_fp16 ? 15 : 63;
  change_both(call, [&](float x) { return std::ldexp(x, most - static_cast<int>(numbers.below(2))); });
  for (float& x : call.c) x = std::ldexp(x, 127 - static_cast<int>(numbers.below(3)));
}

void add_zeros_of_both_signs(TileCall& call, Numbers& numbers, int) {
  change_both(call, [&](float x) { return numbers.below(5) != 0 ? std::copysign(0.0f, x) : x; });
  for (float& x : call.c) x = numbers.below(2) == 0 ? std::copysign(0.0f, x) : x;
}

void add_special_numbers(TileCall& call, Numbers& numbers, int) {
  constexpr float specials[] = {infinity, -infinity, nan, 0.0f};
  for (int i = 0; i < 4; ++i) {
    call.a[numbers.below(call.a.size())] = specials[numbers.below(4)];
    call.b[numbers.below(call.b.size())] = specials[numbers.below(4)];
    call.c[numbers.below(call.c.size())] = specials[numbers.below(4)];
  }
}

struct NamedInstructionFamily {
  const char* name;
  InstructionFamily make;
};

constexpr NamedInstructionFamily instruction_families[] = {{"uniform", leave_all},
                                                           {"added to zero", add_to_zero},
                                                           {"wide", vary_exponents},
                                                           {"last bits", add_last_bits},
                                                           {"cancelling", take_away},
                                                           {"denormal factors", use_denormal_factors},
                                                           {"tiny sums", use_tiny_sums},
                                                           {"large", use_large_numbers},
                                                           {"zeros", add_zeros_of_both_signs},
                                                           {"Inf and NaN", add_special_numbers}};

struct Factors {
  float alpha, beta;
};

constexpr Factors factors[] = {{1.0f, 0.0f}, {1.0f, 0.0f}, {-1.5f, 0.0f}, {0.7f, 1.0f}, {1.0f, -0.3f}};

}  // namespace

std::uint64_t Numbers::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

float Numbers::uniform() {
  return static_cast<float>(static_cast<std::int32_t>(bits() >> 40) - (1 << 23)) * 0x1p-23f;
}

std::size_t Numbers::below(std::size_t end) {
  return (bits() >> 33) % end;
}

Tile make_tile(std::size_t index) {
  const Named& family = families[index % std::size(families)];
  const Factors& factor = factors[index % std::size(factors)];
  TileCall call{side, side, depths[index * 7 % std::size(depths)], factor.alpha, factor.beta, {}, {}, {}};
  Numbers numbers(index + 1);
  const auto fill = [&numbers](std::vector<float>& matrix, std::size_t count) {
    for (std::size_t element = 0; element < count; ++element) matrix.push_back(numbers.uniform());
  };
  fill(call.a, side * call.k);
  fill(call.b, side * call.k);
  fill(call.c, side * side);
  family.make(call, numbers);
  return {family.name, std::move(call)};
}

std::string title_of(const Instruction& instruction) {
  return std::string("mma ") + instruction.format;
}

Tile make_tile(const Instruction& instruction, std::size_t index) {
  const NamedInstructionFamily& family = instruction_families[index % std::size(instruction_families)];
  TileCall call{16, 8, instruction.depth, 1.0f, 1.0f, {}, {}, {}};
  Numbers numbers(index + 1);
  for (std::size_t i = 0; i < call.rows * call.k; ++i) call.a.push_back(numbers.uniform());
  for (std::size_t i = 0; i < call.columns * call.k; ++i) call.b.push_back(numbers.uniform());
  for (std::size_t i = 0; i < call.rows * call.columns; ++i) call.c.push_back(numbers.uniform());
  const auto cut = [&](float x) { return cut_to(instruction, x); };
  change_both(call, cut);
  family.make(call, numbers, instruction.least_exponent);
  change_both(call, cut);
  return {family.name, std::move(call)};
}

template <class Add>
std::vector<float> sums_of(const TileCall& call, int least_exponent, const Add& add) {
  const std::vector<Factor> a = make_factors(call.a, least_exponent);
  const std::vector<Factor> b = make_factors(call.b, least_exponent);
  std::vector<float> result;
  for (std::size_t i = 0; i < call.c.size(); ++i)
    result.push_back(add(&a[i / call.columns * call.k], &b[i % call.columns * call.k], call.c[i]));
  return result;
}

std::vector<float> model_of(const Instruction& instruction, const TileCall& call) {
  return sums_of(call, instruction.least_exponent, [&](const Factor* a, const Factor* b, float sum) {
    return add_products(instruction.core, a, b, call.k, sum);
  });
}

std::vector<float> model_on_cdna3(const TileCall& call) {
  return sums_of(call, least_of_fp16, [&](const Factor* a, const Factor* b, float sum) {
    return add_products_on_cdna3(a, b, call.k, sum);
  });
}

std::uint64_t word_of(const std::vector<float>& results) {
  std::uint64_t word = 0xcbf29ce484222325u;  // FNV-1a, 32 bits at a time
  for (const float x : results) {
    const std::uint32_t bits = std::isnan(x) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(x);
    word = (word ^ bits) * 0x100000001b3u;
  }
  return word;
}

TileCall worst_case(std::size_t rows, std::size_t columns, std::size_t k) {
  const float s = 0x1p-12f * (1.0f - 0x1p-10f);
  const float t = 0x1p-13f * (1.0f - 0x1p-10f);
  TileCall call{rows, columns, k, 1.0f, 0.0f, {}, {}, {}};
  for (std::size_t i = 0; i < rows * k; ++i) call.a.push_back(i % k == 0 ? 1.0f : s);
  for (std::size_t i = 0; i < columns * k; ++i) call.b.push_back(i % k == 0 ? 1.0f : t);
  call.c.assign(rows * columns, 0.0f);
  return call;
}

TileCall worst_tiny_case(std::size_t rows, std::size_t columns, std::size_t k) {
  const int depth = std::ilogb(static_cast<double>(k));
  const int room = k > 1024 ? 1 : 0;  // for a line's exponent
  const float least = std::ldexp(1.0f, -22 - depth + room);
  const float partner = std::ldexp(1.0625f, depth - 33);
  TileCall call{rows, columns, k, 1.0f, 0.0f, {}, {}, {}};
  // The largest numbers of both lines meet zeros. The second product has the exponent that the others are
  // aligned to.
  for (std::size_t i = 0; i < rows * k; ++i)
    call.a.push_back(i % k == 0 ? 1.0f : i % k == 1 ? least : i % k < 64 ? 1.875f * least : 0.0f);
  for (std::size_t i = 0; i < columns * k; ++i)
    call.b.push_back(i % k == 0 ? 0.0f : i % k == 1 ? 1.0f : i % k < 64 ? partner : 0.0f);
  call.c.assign(rows * columns, 0.0f);
  return call;
}

TileCall alone_tiny_case(bool in_a) {
  constexpr std::size_t lines = 16, k = 64;
  std::vector<float> tiny(lines * k, 1.0f), picks(lines * k, 0.0f);
  for (std::size_t line = 0; line < lines; ++line) {
    tiny[line * k + line] = 0x1p-50f;
    picks[line * k + (line + 2) % lines] = 1.0f;
  }
  return {lines,
          lines,
          k,
          1.0f,
          0.0f,
          in_a ? tiny : picks,
          in_a ? picks : tiny,
          std::vector<float>(lines * lines, 0.0f)};
}

}  // namespace clgemm::test
