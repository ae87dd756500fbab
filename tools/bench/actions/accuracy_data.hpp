// The kinds of numbers of `--accuracy`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measuring/host_data.hpp"

namespace clgemm::bench {

struct HardNumbers {
  const char* name;
  std::vector<std::size_t> depths;  // each k for which they are tried
  void (*shape)(HostData& data);    // changes numbers that are uniform in [-1, 1)
  bool is_finite = true;  // if false, the data have Inf and NaN, and only their places in C are checked
  bool is_exact = false;  // small integers with sums that no kernel may round
};

std::span<const HardNumbers> hard_numbers();

// Returns the data of C = A B with `side` rows and columns, in the layout and with the transposes of `kind`.
HostData data_of(const HardNumbers& numbers, std::size_t side, std::size_t k, GemmKind kind);

}  // namespace clgemm::bench
