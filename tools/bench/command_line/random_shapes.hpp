// `--random`: random shapes, so that the figures do not depend on a choice that we made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/device.hpp"
#include "measuring/host_data.hpp"

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
  std::optional<Bounds> gflop;  // of one GEMM, in 10^9 operations; by default, it depends on the device
  bool varied = false;          // transposes, layouts and gaps are random, too
};

// "16-9400". Throws UsageError.
Bounds parse_bounds(std::string_view text);

// Returns different shapes within the bounds. Their sides are log-uniform and independent of each other. The
// same seed and bounds give the same shapes. If the shapes are not varied, they have the properties of
// `kind`. Throws UsageError if the bounds allow too few shapes.
std::vector<Case> random_cases(const RandomShapes& wanted, const GemmKind& kind, DeviceKind device);

}  // namespace clgemm::bench
