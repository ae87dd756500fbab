// `--why`: shows the facts about a kernel at a size, before and after it ran, and the first thing to try.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "base/device.hpp"
#include "command_line/options.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// The facts of the GEMM kernel of a plan. Bytes are those of a work-item, or of a work-group for local
// memory.
struct KernelFacts {
  std::size_t groups = 0;  // work-groups of one launch
  std::size_t group_rows = 1;
  std::size_t group_columns = 1;
  std::size_t compute_units = 1;
  std::size_t private_bytes = 0;
  std::size_t spilled_bytes = 0;
  std::size_t local_bytes = 0;
  double work_inside = 1.0;  // the part of the tiles that is inside C
  double gflops = 0.0;       // as measured

  double groups_per_unit() const { return static_cast<double>(groups) / static_cast<double>(compute_units); }

  // Returns the bytes of global memory for each multiply-add, if a work-group reads its rows of A and its
  // columns of B once.
  double bytes_per_multiply_add() const {
    return 4.0 / static_cast<double>(group_rows) + 4.0 / static_cast<double>(group_columns);
  }
  // Returns the bandwidth, in 10^9 bytes a second, that the measured rate needs.
  double needed_gbs() const { return gflops / 2.0 * bytes_per_multiply_add(); }
};

// Returns the first thing to try, in a sentence that begins with what limits the kernel.
std::string first_thing_to_try(const KernelFacts& facts, const Ceilings& ceilings);

// Measures the ceilings, then each kernel at each size, and writes the facts. Returns true.
bool say_why(std::ostream& out, const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
