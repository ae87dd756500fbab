// Tries a kernel from a file before it is measured, in a separate process. It may hang, crash the compiler or
// the driver, and is wrong more often than other kernels.
#pragma once

#include <string>

#include "command_line/options.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {

// Runs this program again to try the kernel. Returns what is wrong with it, or an empty text. Throws
// Error(self_test_failed) if the other process crashed or took longer than options.trial_seconds.
std::string try_in_own_process(const BenchOptions& options, const KernelChoice& choice);

// Runs in that process. Tries all transposes, each alone and as a batch of two with alpha, beta, gaps and
// offsets, at a small size that is not a multiple of any tile. Returns what is wrong.
std::string try_kernel(const BenchOptions& options);

}  // namespace clgemm::bench
