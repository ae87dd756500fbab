// `--accuracy`: the accuracy of kernels and peers on several kinds of hard numbers, against float64. Plain
// fp32 arithmetic, one fused multiply-add after another, is shown for comparison.
#pragma once

#include <ostream>

#include "base/opencl.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// Writes a table in Markdown. Returns true if every result passes: its largest error ratio (float64.hpp) is
// at most the bound of the kernel that computed it (error_bound.hpp), and Inf and NaN appear in the same
// elements as with Precision::fp32.
bool show_accuracy(std::ostream& out, const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
