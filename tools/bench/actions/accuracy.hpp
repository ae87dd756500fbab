// `--accuracy`: how exact kernels and peers are on kinds of numbers that are hard in different ways, against
// float64 and beside plain fp32 arithmetic: a fused multiply-add after the other.
#pragma once

#include <ostream>

#include "base/opencl.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// Writes a table in Markdown. True if every result passes: its largest error ratio (float64.hpp) is at most
// the bound of the kernel that computed it (error_bound.hpp), and Inf and NaN stand where they do with
// Precision::fp32.
bool show_accuracy(std::ostream& out, const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
