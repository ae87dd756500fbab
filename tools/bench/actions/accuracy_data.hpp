// The kinds of numbers of `--accuracy`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measuring/host_data.hpp"

namespace clgemm::bench {

struct AccuracyCase {
  std::string name;
  std::size_t k;
  bool is_finite;  // if false, the data have Inf and NaN, and only their places in C are checked
  bool is_exact;   // small integers with sums that no kernel may round

  // Changes numbers that are uniform in [-1, 1).
  void (*shape)(HostData& data);
};

const std::vector<AccuracyCase>& accuracy_cases();

// Returns the data of C = A B with `side` rows and columns, in the layout and with the transposes of `kind`.
HostData accuracy_data(const AccuracyCase& one, std::size_t side, GemmKind kind);

}  // namespace clgemm::bench
