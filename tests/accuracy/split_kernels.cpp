#include "accuracy/split_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace clgemm::test {
namespace {

using Lines = std::vector<std::vector<float>>;

std::uint32_t bits_of(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

std::uint32_t magnitude_of(float x) {
  return bits_of(x) & 0x7fffffffu;
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Fills up with zeros to a multiple of `depth` along k.
Lines lines_of(const std::vector<float>& matrix, std::size_t lines, std::size_t k, std::size_t depth) {
  Lines result;
  for (std::size_t line = 0; line < lines; ++line) {
    const auto of_line = std::span(matrix).subspan(line * k, k);
    result.emplace_back(of_line.begin(), of_line.end());
    result.back().resize(round_up(k, depth), 0.0f);
  }
  return result;
}

float to_c(const TileCall& call, std::size_t element, float sum) {
  const float scaled = call.alpha * sum;
  return call.beta == 0.0f ? scaled : std::fma(call.beta, call.c[element], scaled);
}

template <class SumOf>
std::vector<float> tile_of(const TileCall& call, const SumOf& sum_of) {
  std::vector<float> c;
  for (std::size_t row = 0; row < call.rows; ++row) {
    for (std::size_t column = 0; column < call.columns; ++column)
      c.push_back(to_c(call, c.size(), sum_of(row, column)));
  }
  return c;
}

// ---- plain fp32: common/slices.cl with DEPTH 8. The slices divide the values of k in a step; the first step
// may be a shorter one.
std::vector<float> plain_tile(const TileCall& call, std::size_t slices) {
  constexpr std::size_t depth = 8;
  const Lines a = lines_of(call.a, call.rows, call.k, 1);
  const Lines b = lines_of(call.b, call.columns, call.k, 1);
  const std::size_t step = depth * slices;
  const std::size_t first_depth = call.k - (call.k - 1) / step * step;
  return tile_of(call, [&](std::size_t row, std::size_t column) {
    float sums[2] = {0.0f, 0.0f};  // these kernels have at most two slices
    for (std::size_t deep = 0; deep < call.k; ++deep) {
      const std::size_t in_step = deep < first_depth ? deep : (deep - first_depth) % step;
      float& sum = sums[in_step / depth];
      sum = std::fma(a[row][deep], b[column][deep], sum);
    }
    float sum = sums[0];
    for (std::size_t slice = 1; slice < slices; ++slice) sum += sums[slice];
    return sum;
  });
}

// ---- three TF32 products: common/tf32.cl
constexpr std::size_t tf32_step = 32;

// How a kernel adds the products.
struct Tf32Sums {
  const TensorCore& core;
  std::size_t together;  // depths after which a new sum starts from zero
};
constexpr Tf32Sums by_wgmma{hopper_tf32, 32};  // common/tf32x3.cl
constexpr Tf32Sums by_mma{hopper_tf32, 8};     // common/mma_tf32.cl
constexpr std::size_t most_shallow = 64;       // tf32x3_shallow.cl
constexpr Tf32Sums by_shallow{hopper_tf32, most_shallow};

struct Tf32Line {
  std::vector<Factor> high, low;
};

Tf32Line split_tf32(const std::vector<float>& line) {
  std::vector<float> high, low;
  for (const float x : line) {
    high.push_back(float_of((bits_of(x) + 0x1000u) & 0xffffe000u));
    low.push_back(x - high.back());
  }
  return {make_factors(high, least_of_tf32), make_factors(low, least_of_tf32)};
}

// Computes a slice, which has every `slices`-th step. An instruction takes 8 of k.
float tf32_slice(const Tf32Sums& sums, const Tf32Line& x, const Tf32Line& y, std::size_t slice,
                 std::size_t slices) {
  constexpr std::size_t at_once = 8;
  float sum = 0.0f;
  for (std::size_t first = 0; first < x.high.size(); first += sums.together) {
    if (first / tf32_step % slices != slice) continue;
    float fresh = 0.0f;
    for (std::size_t i = first; i < first + sums.together; i += at_once) {
      fresh = add_products(sums.core, &x.low[i], &y.high[i], at_once, fresh);
      fresh = add_products(sums.core, &x.high[i], &y.low[i], at_once, fresh);
    }
    sum += add_products(sums.core, &x.high[first], &y.high[first], sums.together, fresh);
  }
  return sum;
}

std::uint32_t least_of(const std::vector<float>& matrix) {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const float x : matrix) least = std::min(least, 2 * bits_of(x) - 1);
  return least;
}

bool tf32_is_exact(const TileCall& call) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t least_a = least_of(call.a);
  const std::uint32_t least_b = least_of(call.b);
  if (least_a == none || least_b == none) return true;
  const float a = float_of(static_cast<std::uint32_t>((std::uint64_t{least_a} + 1) / 2));
  const float b = float_of(static_cast<std::uint32_t>((std::uint64_t{least_b} + 1) / 2));
  return a >= 0x1p-104f && b >= 0x1p-104f && a * b >= 0x1p-110f;
}

TileResult tf32x3(const Tf32Sums& sums, const TileCall& call, bool swap, std::size_t slices) {
  std::vector<Tf32Line> a, b;
  const std::size_t unit = std::max(tf32_step, sums.together);
  for (const auto& line : lines_of(call.a, call.rows, call.k, unit)) a.push_back(split_tf32(line));
  for (const auto& line : lines_of(call.b, call.columns, call.k, unit)) b.push_back(split_tf32(line));
  bool is_strange = false;
  std::vector<float> c = tile_of(call, [&](std::size_t row, std::size_t column) {
    float sum = 0.0f;
    for (std::size_t slice = 0; slice < slices; ++slice) {
      const Tf32Line& x = swap ? b[column] : a[row];
      const Tf32Line& y = swap ? a[row] : b[column];
      const float one = tf32_slice(sums, x, y, slice, slices);
      is_strange |= !std::isfinite(one);
      sum = slice == 0 ? one : sum + one;
    }
    return sum;
  });
  if (is_strange || !tf32_is_exact(call)) return {plain_tile(call, slices), Way::fp32};
  return {std::move(c), Way::tf32x3};
}

// Returns columns of A or rows of B, from `first` on along k.
std::vector<float> part_of(const std::vector<float>& matrix, std::size_t k, std::size_t first,
                           std::size_t depth) {
  std::vector<float> result;
  for (std::size_t line = 0; line < matrix.size() / k; ++line) {
    const auto of_line = std::span(matrix).subspan(line * k + first, depth);
    result.insert(result.end(), of_line.begin(), of_line.end());
  }
  return result;
}

// Split-K (common/parts.cl): the depth of all slices but the last.
std::size_t slice_depth(std::size_t k, std::size_t slices, std::size_t unit) {
  return round_up((k + slices - 1) / slices, unit);
}

// Split-K: each slice along k is a separate product, and the products are added up in order.
TileResult tf32x3_in_slices(const Tf32Sums& method, const TileCall& call, bool swap, std::size_t slices,
                            std::size_t parts) {
  constexpr std::size_t unit = 4;
  const std::size_t depth = slice_depth(call.k, parts, unit);
  if (depth >= call.k) return tf32x3(method, call, swap, slices);
  std::vector<float> sums;
  Way way = Way::tf32x3;
  for (std::size_t first = 0; first < call.k; first += depth) {
    const std::size_t of_part = std::min(depth, call.k - first);
    const TileCall part{call.rows,
                        call.columns,
                        of_part,
                        1.0f,
                        0.0f,
                        part_of(call.a, call.k, first, of_part),
                        part_of(call.b, call.k, first, of_part),
                        {}};
    const TileResult result = tf32x3(method, part, swap, slices);
    if (result.way == Way::fp32) way = Way::fp32;
    if (first == 0) sums.assign(result.c.size(), 0.0f);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = first == 0 ? result.c[i] : sums[i] + result.c[i];
  }
  return {
      tile_of(call, [&](std::size_t row, std::size_t column) { return sums[row * call.columns + column]; }),
      way};
}

// ---- fp16 planes: helpers/pack_both_fp16_planes.cl, common/fp16_planes.cl, common/fp16_range.cl
struct Fp16Line {
  std::vector<Factor> high, low;
  int exponent;
};

// Returns the nearest fp16, with ties to even.
float to_fp16(float x) {
  if (!std::isfinite(x) || x == 0.0f) return x;
  const int exponent = std::max(std::ilogb(x), least_of_fp16);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(double{x}, 10 - exponent)), exponent - 10);
  return std::fabs(rounded) >= 65536.0 ? std::copysign(std::numeric_limits<float>::infinity(), x)
                                       : static_cast<float>(rounded);
}

constexpr std::size_t fp16_lines_together = 8;
constexpr std::size_t fp16_first_numbers = 1024;  // the first numbers of a line
constexpr int fp16_room = 1;

int line_exponent(std::uint32_t largest) {
  return std::max(static_cast<int>((largest + 0x1000u) >> 23) - 127 - 15, -126);
}

float fp16_depth(std::size_t k) {
  return static_cast<float>(std::clamp<std::size_t>(k, 64, 4096));
}

struct Extremes {
  std::uint32_t largest = 0;  // unscaled
  float smallest = 1.0f;      // scaled
};

std::uint32_t largest_of(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (const float x : values) largest = std::max(largest, magnitude_of(x));
  return largest;
}

float smallest_of(const std::vector<float>& line, int exponent) {
  float smallest = 1.0f;
  const float scale = std::ldexp(1.0f, -exponent);
  for (const float x : line) {
    if (x != 0.0f) smallest = float_of(std::min(bits_of(smallest), magnitude_of(x * scale)));
  }
  return smallest;
}

bool is_too_small(float smallest, std::size_t k) {
  return smallest * fp16_depth(k) < 0x1p-7f;
}

Fp16Line split_fp16(const std::vector<float>& line, int exponent) {
  std::vector<float> high, low;
  for (const float x : line) {
    const float scaled = x * std::ldexp(1.0f, -exponent);
    high.push_back(to_fp16(scaled));
    low.push_back(to_fp16((scaled - high.back()) * 0x1p11f));
  }
  return {make_factors(high, least_of_fp16), make_factors(low, least_of_fp16), exponent};
}

// Packs eight lines, for which the exponents are found together. `is_alone` if the other operand is not
// packed.
void pack_fp16_lines(std::span<const std::vector<float>> lines, std::vector<Fp16Line>& packed,
                     Extremes& extremes, bool is_alone) {
  const std::size_t depth = lines.front().size();
  const bool goes_on = depth > fp16_first_numbers;
  std::vector<int> exponents;
  bool again = false;
  for (const auto& line : lines) {
    const auto first = std::span(line).first(std::min(depth, fp16_first_numbers));
    exponents.push_back(line_exponent(largest_of(first)) + (goes_on ? fp16_room : 0));
    if (!is_alone && is_too_small(smallest_of(line, exponents.back()), depth)) extremes.smallest = 0.0f;
    again |= goes_on && line_exponent(largest_of(line)) > exponents.back();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t largest = largest_of(lines[i]);
    const int exponent = again ? line_exponent(largest) : exponents[i];
    extremes.largest = std::max(extremes.largest, largest);
    extremes.smallest = std::min(extremes.smallest, smallest_of(lines[i], exponent));
    packed.push_back(split_fp16(lines[i], exponent));
  }
}

std::vector<Fp16Line> pack_fp16(const Lines& lines, Extremes& extremes, bool is_alone = false) {
  std::vector<Fp16Line> result;
  for (std::size_t first = 0; first < lines.size(); first += fp16_lines_together) {
    const std::size_t count = std::min(fp16_lines_together, lines.size() - first);
    pack_fp16_lines(std::span(lines).subspan(first, count), result, extremes, is_alone);
  }
  return result;
}

bool fp16_is_exact(const Extremes& a, const Extremes& b, std::size_t k) {
  return float_of(a.largest) * float_of(b.largest) * static_cast<float>(k) < 0x1p126f &&
         !is_too_small(a.smallest, k) && !is_too_small(b.smallest, k) &&
         a.smallest * b.smallest * fp16_depth(k) >= 0x1p-20f;
}

float scaled_back(float value, int exponent) {
  const int half = exponent >> 1;
  return value * std::ldexp(1.0f, half) * std::ldexp(1.0f, exponent - half);
}

// kernels/fp16x3_wgmma.cl: sums of h h' restart from zero after 64 of k, those with a low plane continue.
float fp16_wgmma_slice(const Fp16Line& a, const Fp16Line& b, std::size_t step, std::size_t slice,
                       std::size_t slices) {
  constexpr std::size_t together = 64;
  const TensorCore& core = hopper_16_bit;
  const std::size_t depth = a.high.size();
  float sum = 0.0f, high = 0.0f, cross = 0.0f;
  std::size_t in_high = 0;
  for (std::size_t first = slice * 16 * step; first < depth; first += slices * 16 * step) {
    for (std::size_t i = first; i < first + 16 * step; i += 16) {
      high = add_products(core, &a.high[i], &b.high[i], 16, in_high == 0 ? 0.0f : high);
      in_high += 16;
      cross = add_products(core, &a.low[i], &b.high[i], 16, cross);
      cross = add_products(core, &a.high[i], &b.low[i], 16, cross);
    }
    if (in_high == together) {
      sum += high;
      in_high = 0;
    }
  }
  if (in_high > 0) sum += high;
  return std::fma(cross, 0x1p-11f, sum);
}

float fp16_wgmma_sum(const Fp16Line& a, const Fp16Line& b, std::size_t step, std::size_t slices) {
  float sum = fp16_wgmma_slice(a, b, step, 0, slices);
  for (std::size_t slice = 1; slice < slices; ++slice) {
    const bool has_steps = a.high.size() > slice * 16 * step;
    sum += has_steps ? fp16_wgmma_slice(a, b, step, slice, slices) : 0.0f;
  }
  return sum;
}

TileResult fp16x3_wgmma(const TileCall& call, std::size_t step, std::size_t slices,
                        std::size_t fallback_slices) {
  Extremes of_a, of_b;
  const std::vector<Fp16Line> a = pack_fp16(lines_of(call.a, call.rows, call.k, 16 * step), of_a);
  const std::vector<Fp16Line> b = pack_fp16(lines_of(call.b, call.columns, call.k, 16 * step), of_b);
  if (!fp16_is_exact(of_a, of_b, round_up(call.k, 16 * step)))
    return tf32x3(by_wgmma, call, false, fallback_slices);
  return {tile_of(call,
                  [&](std::size_t row, std::size_t column) {
                    return scaled_back(fp16_wgmma_sum(a[row], b[column], step, slices),
                                       a[row].exponent + b[column].exponent);
                  }),
          Way::fp16x3};
}

// ---- kernels/fp16x3_one_packed.cl: a line of X gets an exponent when it is multiplied.
constexpr std::size_t one_packed_step = 32;

int exponent_for_largest(std::uint32_t largest) {
  constexpr std::uint32_t most = 0x7f7fffffu - 0x1000u;
  constexpr int of_zeros = -9;
  return largest == 0 ? of_zeros : line_exponent(std::min(largest, most));
}

// Guesses the exponent from the first numbers, with room for larger ones.
int guessed_exponent(const std::vector<float>& line) {
  constexpr int room = 8;
  const std::uint32_t largest = largest_of(std::span(line).first(one_packed_step));
  return exponent_for_largest(largest) + (largest == 0 ? 0 : room);
}

struct AttemptedTile {
  std::vector<float> sums;  // a line of X after the other
  Attempt attempt;
  std::size_t computed_again;  // results in plain fp32
};

// Computes one result in plain fp32 as a warp does.
float sum_by_warp(std::span<const float> x, std::span<const float> y) {
  float sums[32] = {};
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % 32] = std::fma(x[i], y[i], sums[i % 32]);
  for (std::size_t apart = 16; apart > 0; apart /= 2) {
    for (std::size_t i = 0; i < apart; ++i) sums[i] += sums[i + apart];
  }
  return sums[0];
}

// Multiplies lines of X by lines of Y from `first` on along k.
AttemptedTile one_packed_slice(const Lines& x, const Lines& y, const std::vector<Fp16Line>& packed,
                               const Extremes& of_y, std::size_t k, std::size_t first, std::size_t depth) {
  constexpr std::size_t most_inexact = 64;
  const float range = fp16_depth(k);
  const auto slice_of = [&](const auto& line) {
    const auto whole = std::span(line).subspan(first, round_up(depth, one_packed_step));
    return std::vector(whole.begin(), whole.end());
  };
  std::vector<Fp16Line> y_slices;
  for (const Fp16Line& line : packed)
    y_slices.push_back({slice_of(line.high), slice_of(line.low), line.exponent});
  for (const Attempt attempt : {Attempt::first, Attempt::second}) {
    AttemptedTile tile{{}, attempt, 0};
    bool are_numbers = true;
    for (const auto& whole : x) {
      const std::vector<float> line = slice_of(whole);
      const std::uint32_t largest = largest_of(line);
      const int exponent = attempt == Attempt::first ? guessed_exponent(line) : exponent_for_largest(largest);
      const float smallest = smallest_of(line, exponent);
      const bool is_any_exact =
          largest == 0 || (!is_too_small(smallest, k) && !is_too_small(of_y.smallest, k) &&
                           smallest * of_y.smallest * range >= 0x1p-20f);
      const float least = is_any_exact ? 0.0f : 0x1p14f * static_cast<float>(depth) / range;
      const Fp16Line split = split_fp16(line, exponent);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const float scaled = fp16_wgmma_sum(split, y_slices[i], 2, 1);
        float sum = scaled_back(scaled, exponent + y_slices[i].exponent);
        are_numbers &= std::isfinite(sum);
        if (std::fabs(scaled) < least) {
          sum = sum_by_warp(std::span(line).first(depth), std::span(y[i]).subspan(first, depth));
          ++tile.computed_again;
        }
        tile.sums.push_back(sum);
      }
    }
    if (are_numbers && tile.computed_again <= most_inexact) return tile;
  }
  AttemptedTile tile{{}, Attempt::plain, x.size() * y.size()};
  for (const auto& of_x : x) {
    for (const auto& other : y) {
      float sum = 0.0f;
      for (std::size_t i = first; i < first + depth; ++i) sum = std::fma(of_x[i], other[i], sum);
      tile.sums.push_back(sum);
    }
  }
  return tile;
}

TileResult fp16x3_one_packed(const TileCall& call, bool swap, std::size_t slices) {
  const Lines a = lines_of(call.a, call.rows, call.k, one_packed_step);
  const Lines b = lines_of(call.b, call.columns, call.k, one_packed_step);
  const Lines& x = swap ? b : a;
  const Lines& y = swap ? a : b;
  Extremes of_y;
  const std::vector<Fp16Line> packed = pack_fp16(y, of_y, true);
  if (!std::isfinite(float_of(of_y.largest))) return {plain_tile(call, 1), Way::fp32};
  const std::size_t depth = slice_depth(call.k, slices, one_packed_step);
  std::vector<float> sums(x.size() * y.size(), 0.0f);
  Way way = Way::fp16x3;
  for (std::size_t first = 0; first < call.k; first += depth) {
    const AttemptedTile slice =
        one_packed_slice(x, y, packed, of_y, call.k, first, std::min(depth, call.k - first));
    if (slice.attempt == Attempt::plain) way = Way::fp32;
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = first == 0 ? slice.sums[i] : sums[i] + slice.sums[i];
  }
  return {tile_of(call,
                  [&](std::size_t row, std::size_t column) {
                    return swap ? sums[column * call.rows + row] : sums[row * call.columns + column];
                  }),
          way};
}

// ---- six bf16 products: helpers/pack_both_bf16_planes.cl, common/bf16_range.cl, kernels/bf16x6_mma.cl
struct Bf16Line {
  std::vector<Factor> planes[3];
};

float nearest_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t rounded = std::min(magnitude + 0x7fffu + (magnitude >> 16 & 1u), 0x7f7fffffu);
  return float_of((bits & 0x80000000u) | (rounded & 0xffff0000u));
}

Bf16Line split_bf16(const std::vector<float>& line) {
  Bf16Line result;
  std::vector<float> rest = line;
  for (auto& plane : result.planes) {
    std::vector<float> values;
    for (float& x : rest) {
      values.push_back(nearest_bf16(x));
      x -= values.back();
    }
    plane = make_factors(values, least_of_bf16);
  }
  return result;
}

float bf16_sum(const TensorCore& core, const Bf16Line& a, const Bf16Line& b) {
  float sum = 0.0f;
  for (std::size_t first = 0; first < a.planes[0].size(); first += 16) {
    float fresh = 0.0f;
    for (std::size_t order = 3; order-- > 0;) {
      for (std::size_t plane = order + 1; plane-- > 0;)
        fresh = add_products(core, &a.planes[plane][first], &b.planes[order - plane][first], 16, fresh);
    }
    sum += fresh;
  }
  return sum;
}

bool bf16_is_exact(const TileCall& call) {
  const auto least = [](const std::vector<float>& matrix) {
    std::uint32_t result = 0xffffffffu;
    for (const float x : matrix) {
      if (magnitude_of(x) != 0) result = std::min(result, magnitude_of(x));
    }
    return result;
  };
  constexpr std::uint32_t infinity = 0x7f800000u;
  constexpr std::uint32_t least_bits = (127u - 110u) << 23;
  const std::uint32_t a_largest = largest_of(call.a), b_largest = largest_of(call.b);
  const std::uint32_t a_least = least(call.a), b_least = least(call.b);
  if (a_largest >= infinity || b_largest >= infinity || a_least < least_bits || b_least < least_bits)
    return false;
  if (a_largest == 0 || b_largest == 0) return true;
  return float_of(a_largest) * float_of(b_largest) < 0x1p97f &&
         float_of(a_least) * float_of(b_least) >= 0x1p-133f;
}

TileResult bf16x6_mma(const TensorCore& core, const TileCall& call) {
  if (!bf16_is_exact(call)) return {plain_tile(call, 1), Way::fp32};
  std::vector<Bf16Line> a, b;
  for (const auto& line : lines_of(call.a, call.rows, call.k, 16)) a.push_back(split_bf16(line));
  for (const auto& line : lines_of(call.b, call.columns, call.k, 16)) b.push_back(split_bf16(line));
  return {
      tile_of(call, [&](std::size_t row, std::size_t column) { return bf16_sum(core, a[row], b[column]); }),
      Way::bf16x6};
}

// ---- kernels/fp16x3_mma.cl: all three products of 16 of k into one sum from zero
float fp16_mma_sum(const TensorCore& core, const Fp16Line& a, const Fp16Line& b) {
  float sum = 0.0f;
  for (std::size_t first = 0; first < a.high.size(); first += 16) {
    float fresh = add_products(core, &a.low[first], &b.high[first], 16, 0.0f);
    fresh = add_products(core, &a.high[first], &b.low[first], 16, fresh);
    fresh = add_products(core, &a.high[first], &b.high[first], 16, fresh * 0x1p-11f);
    sum += fresh;
  }
  return sum;
}

TileResult fp16x3_mma(const TensorCore& core, const TileCall& call) {
  Extremes of_a, of_b;
  const std::vector<Fp16Line> a = pack_fp16(lines_of(call.a, call.rows, call.k, 16), of_a);
  const std::vector<Fp16Line> b = pack_fp16(lines_of(call.b, call.columns, call.k, 16), of_b);
  if (!fp16_is_exact(of_a, of_b, round_up(call.k, 16))) return {plain_tile(call, 1), Way::fp32};
  return {tile_of(call,
                  [&](std::size_t row, std::size_t column) {
                    return scaled_back(fp16_mma_sum(core, a[row], b[column]),
                                       a[row].exponent + b[column].exponent);
                  }),
          Way::fp16x3};
}

// ---- kernels/fp16x3_mfma.cl: all three products of 32 of k into one sum from zero. An instruction takes
// four of k from each 16 lanes of a wave: first those at 0, 8, 16 and 24, then the next ones.
float add_32_of_k(const Factor* a, const Factor* b, float sum) {
  for (std::size_t half = 0; half < 2; ++half) {
    Factor of_a[16], of_b[16];
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t deep = i / 4 * 8 + half * 4 + i % 4;
      of_a[i] = a[deep];
      of_b[i] = b[deep];
    }
    sum = add_products_on_cdna3(of_a, of_b, 16, sum);
  }
  return sum;
}

// kernels/fp16x3_wmma.cl does the same with another instruction, which takes 16 of k in order.
float add_32_of_k_in_order(const Factor* a, const Factor* b, float sum) {
  return add_products_on_rdna(a, b, 32, sum);
}

using Add32 = float (*)(const Factor* a, const Factor* b, float sum);

float fp16_amd_sum(const Fp16Line& a, const Fp16Line& b, Add32 add) {
  float sum = 0.0f;
  for (std::size_t first = 0; first < a.high.size(); first += 32) {
    float fresh = add(&a.low[first], &b.high[first], 0.0f);
    fresh = add(&a.high[first], &b.low[first], fresh);
    fresh = add(&a.high[first], &b.high[first], fresh * 0x1p-11f);
    sum += fresh;
  }
  return sum;
}

float sum_on_amd(const std::vector<float>& a, const std::vector<float>& b, Add32 add) {
  Extremes of_a, of_b;
  const std::vector<Fp16Line> x = pack_fp16(lines_of(a, 1, a.size(), 32), of_a);
  const std::vector<Fp16Line> y = pack_fp16(lines_of(b, 1, b.size(), 32), of_b);
  return scaled_back(fp16_amd_sum(x[0], y[0], add), x[0].exponent + y[0].exponent);
}

Lines padded(const std::vector<float>& line, std::size_t depth) {
  return lines_of(line, 1, line.size(), depth);
}

}  // namespace

std::int64_t SplitKernel::parameter(const std::string& of, std::int64_t otherwise) const {
  const auto found = parameters.find(of);
  return found == parameters.end() ? otherwise : found->second;
}

std::string title_of(const SplitKernel& kernel) {
  std::string title = kernel.name;
  for (const auto& [name, value] : kernel.parameters) title += "," + name + "=" + std::to_string(value);
  return title;
}

const std::vector<SplitKernel>& split_kernels() {
  static const std::vector<SplitKernel> kernels = {
      {"tf32x3_wgmma", {{"TILE_X", 128}, {"TILE_Y", 128}, {"SWAP", 0}, {"SLICES", 1}, {"SPLIT_K", 1}}},
      {"tf32x3_wgmma", {{"TILE_X", 64}, {"TILE_Y", 64}, {"SWAP", 0}, {"SLICES", 2}, {"SPLIT_K", 1}}},
      {"tf32x3_wgmma", {{"TILE_X", 64}, {"TILE_Y", 32}, {"SWAP", 1}, {"SLICES", 1}, {"SPLIT_K", 1}}},
      {"tf32x3_wgmma", {{"TILE_X", 128}, {"TILE_Y", 64}, {"SWAP", 0}, {"SLICES", 1}, {"SPLIT_K", 3}}},
      {"fp16x3_wgmma", {{"TILE_M", 128}, {"TILE_N", 128}, {"STEP", 2}, {"SLICES", 1}}},
      {"fp16x3_wgmma", {{"TILE_M", 64}, {"TILE_N", 64}, {"STEP", 2}, {"SLICES", 2}, {"STAGES", 8}}},
      {"fp16x3_wgmma", {{"TILE_M", 128}, {"TILE_N", 64}, {"STEP", 1}, {"SLICES", 1}, {"STAGES", 4}}},
      {"fp16x3_one_packed", {{"TILE_X", 128}, {"TILE_Y", 128}, {"SWAP", 0}, {"STAGES", 6}, {"SPLIT_K", 1}}},
      {"fp16x3_one_packed", {{"TILE_X", 128}, {"TILE_Y", 64}, {"SWAP", 1}, {"STAGES", 7}, {"SPLIT_K", 3}}},
      {"fp16x3_mma", {{"TILE_M", 64}, {"TILE_N", 64}}},
      {"bf16x6_mma", {{"TILE_M", 64}, {"TILE_N", 64}}},
      {"tf32x3_mma", {{"TILE_M", 128}, {"TILE_N", 64}, {"WARP_M", 64}, {"SPLIT_K", 1}}},
      {"tf32x3_mma", {{"TILE_M", 64}, {"TILE_N", 32}, {"WARP_M", 32}, {"SPLIT_K", 3}}},
      {"tf32x3_shallow", {}},
      {"tf32x3_wgmma", {{"TILE_X", 256}, {"TILE_Y", 32}, {"SWAP", 1}, {"SLICES", 1}, {"SPLIT_K", 2}}},
  };
  return kernels;
}

bool takes(const SplitKernel& kernel, std::size_t k) {
  return kernel.name != "tf32x3_shallow" || k <= most_shallow;
}

TileResult model_of(const SplitKernel& kernel, const TileCall& call) {
  const auto parameter = [&kernel](const char* name, std::int64_t otherwise) {
    return static_cast<std::size_t>(kernel.parameter(name, otherwise));
  };
  if (kernel.name == "tf32x3_wgmma")
    return tf32x3_in_slices(by_wgmma, call, parameter("SWAP", 0) != 0, parameter("SLICES", 1),
                            parameter("SPLIT_K", 1));
  if (!takes(kernel, call.k)) return {plain_tile(call, 1), Way::fp32};
  if (kernel.name == "tf32x3_shallow") return tf32x3(by_shallow, call, true, 1);
  if (kernel.name == "tf32x3_mma") return tf32x3_in_slices(by_mma, call, false, 1, parameter("SPLIT_K", 1));
  if (kernel.name == "fp16x3_wgmma") {
    const bool is_small = parameter("TILE_M", 128) + parameter("TILE_N", 128) == 128;
    return fp16x3_wgmma(call, parameter("STEP", 2), parameter("SLICES", 1), is_small ? 2 : 1);
  }
  if (kernel.name == "fp16x3_one_packed")
    return fp16x3_one_packed(call, parameter("SWAP", 0) != 0, parameter("SPLIT_K", 1));
  if (kernel.name == "fp16x3_mma") return fp16x3_mma(hopper_16_bit, call);
  return bf16x6_mma(hopper_16_bit, call);
}

float sum_by_fp16x3_wgmma(const std::vector<float>& a, const std::vector<float>& b, std::size_t step,
                          std::size_t slices) {
  Extremes of_a, of_b;
  const std::vector<Fp16Line> x = pack_fp16(padded(a, 16 * step), of_a);
  const std::vector<Fp16Line> y = pack_fp16(padded(b, 16 * step), of_b);
  return scaled_back(fp16_wgmma_sum(x[0], y[0], step, slices), x[0].exponent + y[0].exponent);
}

AttemptedSum sum_by_fp16x3_one_packed(const std::vector<float>& a, const std::vector<float>& b) {
  Extremes of_b;
  const Lines y = padded(b, one_packed_step);
  const AttemptedTile tile =
      one_packed_slice(padded(a, one_packed_step), y, pack_fp16(y, of_b, true), of_b, a.size(), 0, a.size());
  return {tile.sums[0], tile.computed_again > 0 ? Attempt::plain : tile.attempt};
}

float sum_by_tf32x3_wgmma(const std::vector<float>& a, const std::vector<float>& b, bool swap,
                          std::size_t slices) {
  const Tf32Line x = split_tf32(padded(swap ? b : a, tf32_step)[0]);
  const Tf32Line y = split_tf32(padded(swap ? a : b, tf32_step)[0]);
  float sum = tf32_slice(by_wgmma, x, y, 0, slices);
  for (std::size_t slice = 1; slice < slices; ++slice) sum += tf32_slice(by_wgmma, x, y, slice, slices);
  return sum;
}

float sum_by_tf32x3_shallow(const std::vector<float>& a, const std::vector<float>& b) {
  return model_of({"tf32x3_shallow", {}}, {1, 1, a.size(), 1.0f, 0.0f, a, b, {0.0f}}).c[0];
}

float sum_by_tf32x3_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b) {
  return tf32_slice({core, by_mma.together}, split_tf32(padded(a, tf32_step)[0]),
                    split_tf32(padded(b, tf32_step)[0]), 0, 1);
}

float sum_by_fp16x3_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b) {
  Extremes of_a, of_b;
  const std::vector<Fp16Line> x = pack_fp16(padded(a, 16), of_a);
  const std::vector<Fp16Line> y = pack_fp16(padded(b, 16), of_b);
  return scaled_back(fp16_mma_sum(core, x[0], y[0]), x[0].exponent + y[0].exponent);
}

float sum_by_fp16x3_mfma(const std::vector<float>& a, const std::vector<float>& b) {
  return sum_on_amd(a, b, add_32_of_k);
}

float sum_by_fp16x3_wmma(const std::vector<float>& a, const std::vector<float>& b) {
  return sum_on_amd(a, b, add_32_of_k_in_order);
}

float sum_by_bf16x6_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b) {
  return bf16_sum(core, split_bf16(padded(a, 16)[0]), split_bf16(padded(b, 16)[0]));
}

}  // namespace clgemm::test
