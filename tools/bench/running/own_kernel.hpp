// A kernel from a file, tried before it is measured, in a process of its own: it may hang, crash the compiler
// or the driver, and is wrong more often than any other.
#pragma once

#include <string>

#include "command_line/options.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {

// The kernel was named as a file, not as one that clgemm has.
bool is_own_kernel(const KernelChoice& choice);

// Runs this program again to try the kernel. What is wrong with it, in words; empty where nothing is. Throws
// Error(self_test_failed) where the other process crashed or took longer than options.trial_seconds.
std::string try_in_own_process(const BenchOptions& options, const KernelChoice& choice);

// In that process: all transposes, each plain and as a batch of two with alpha, beta, gaps and offsets, at a
// small size of no tile's multiple. Returns what is wrong, in words.
std::string try_kernel(const BenchOptions& options);

}  // namespace clgemm::bench
