#include "command_line/random_shapes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "common/usage_error.hpp"

namespace clgemm::bench {
namespace {

// The smallest shape takes longer than a launch. The largest takes at most a second with the fastest kernel.
constexpr Bounds gflop_of_cpus{0.1, 20.0};
constexpr Bounds gflop_of_others{0.2, 600.0};

// The number of shapes that are drawn for each result before the bounds are reported as too narrow.
constexpr std::size_t tries_a_shape = 100'000;

// If gaps are random, every second problem has one, of at most this many elements.
constexpr std::uint64_t largest_gap = 63;

// Written by hand because the distributions of the standard differ between libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}

  // Returns a number below 1, in steps of 2^-53.
  double part() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }

  bool coin() { return part() < 0.5; }

  std::uint64_t below(std::uint64_t end) {
    return static_cast<std::uint64_t>(part() * static_cast<double>(end));
  }

  std::size_t log_uniform(const Bounds& bounds) {
    const double low = std::log(bounds.least);
    return static_cast<std::size_t>(std::lround(std::exp(low + part() * (std::log(bounds.most) - low))));
  }

 private:
  std::mt19937_64 generator_;
};

void vary(GemmKind& kind, Dice& dice) {
  kind.layout = dice.coin() ? Layout::row_major : Layout::column_major;
  kind.transpose_a = dice.coin() ? Transpose::yes : Transpose::no;
  kind.transpose_b = dice.coin() ? Transpose::yes : Transpose::no;
  kind.gap = dice.coin() ? 1 + dice.below(largest_gap) : 0;
}

// Returns the bounds in 10^9 operations: those of the smallest and of the largest cube with these sides.
Bounds gflop_within(const Bounds& sides) {
  const auto of_cube = [](double side) {
    const auto whole = static_cast<std::size_t>(std::lround(side));
    return operations(Size{whole, whole, whole}) * 1e-9;
  };
  return {of_cube(sides.least), of_cube(sides.most)};
}

[[noreturn]] void too_few(std::size_t found, const RandomShapes& wanted, const Bounds& gflop) {
  const Bounds reached = gflop_within(wanted.sides);
  throw UsageError(
      fmt::format("--random: found only {} of {} different shapes with sides from {} to {} and {} to {} "
                  "GFLOP; such sides give {:.3g} to {:.3g} GFLOP (--sides, --gflop)",
                  found, wanted.count, wanted.sides.least, wanted.sides.most, gflop.least, gflop.most,
                  reached.least, reached.most));
}

}  // namespace

Bounds parse_bounds(std::string_view text) {
  Bounds bounds;
  const char* end = text.data() + text.size();
  const auto [dash, first] = std::from_chars(text.data(), end, bounds.least);
  if (first == std::errc() && dash != end && *dash == '-') {
    const auto [rest, second] = std::from_chars(dash + 1, end, bounds.most);
    if (second == std::errc() && rest == end && 0.0 < bounds.least && bounds.least <= bounds.most)
      return bounds;
  }
  throw UsageError(fmt::format("'{}' is not LEAST-MOST (two positive numbers, the smaller one first)", text));
}

std::vector<Case> random_cases(const RandomShapes& wanted, const GemmKind& kind, DeviceKind device) {
  const Bounds gflop = wanted.gflop.value_or(device == DeviceKind::cpu ? gflop_of_cpus : gflop_of_others);
  const Bounds reached = gflop_within(wanted.sides);
  if (reached.most < gflop.least || gflop.most < reached.least) too_few(0, wanted, gflop);
  Dice dice(wanted.seed);
  std::vector<Case> cases;
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> known;
  for (std::size_t tries = 0; cases.size() < wanted.count; ++tries) {
    if (tries == tries_a_shape) too_few(cases.size(), wanted, gflop);
    Case one{{}, kind, {}};
    one.size.m = dice.log_uniform(wanted.sides);
    one.size.n = dice.log_uniform(wanted.sides);
    one.size.k = dice.log_uniform(wanted.sides);
    if (!gflop.hold(operations(one.size) * 1e-9)) continue;
    if (!known.emplace(one.size.m, one.size.n, one.size.k).second) continue;
    if (wanted.varied) vary(one.kind, dice);
    cases.push_back(one);
    tries = 0;
  }
  return cases;
}

}  // namespace clgemm::bench
