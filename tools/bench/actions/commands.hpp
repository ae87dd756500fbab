// The actions of clgemm-bench that do not measure: explaining the plan, managing the cache of compiled
// programs, writing a new kernel's file.
#pragma once

#include <ostream>

#include "base/opencl.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// Writes clgemm's plan for each size and kernel of the options.
void explain_sizes(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// Writes the path of the cache of compiled programs, and its contents.
void show_cache(std::ostream& out);

void clear_cache(std::ostream& out);

// Takes kernels out of quarantine, so that they are tested again.
void clear_quarantine(std::ostream& out);

// Measures again whenever a kernel file of the options, or a file that one of them includes, changes, and
// reports how the times differ from the previous ones. If a kernel does not compile, it reports that and
// waits for the next change. Runs until the process ends, or for `rounds` measurements if `rounds` is not 0.
void watch(std::ostream& out, const BenchOptions& options, const cl::Device& device, std::size_t rounds);

}  // namespace clgemm::bench
