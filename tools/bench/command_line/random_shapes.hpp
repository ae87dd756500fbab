// `--random`: shapes that nobody chose, so that figures tell of what users have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/device.hpp"
#include "data/host_data.hpp"

namespace clgemm::bench {

struct Bounds {
  double least = 0.0;
  double most = 0.0;

  bool hold(double value) const { return least <= value && value <= most; }
};

struct RandomShapes {
  std::size_t count = 0;
  std::uint64_t seed = 1;
  Bounds sides{16, 9400};
  std::optional<Bounds> gflop;  // of one multiply, in 10^9 operations; where nothing is said, by the device
  bool varied = false;          // transposes, layouts and gaps are random, too
};

// "16-9400". Throws UsageError.
Bounds parse_bounds(std::string_view text);

// Different shapes, whose sides are log-uniform and independent of each other, among those within the bounds;
// the same for the same seed and bounds. What is not varied is as in `kind`. Throws UsageError where the
// bounds leave too few.
std::vector<Case> random_cases(const RandomShapes& wanted, const MultiplyKind& kind, DeviceKind device);

}  // namespace clgemm::bench
