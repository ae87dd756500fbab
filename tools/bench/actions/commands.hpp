// What clgemm-bench does beside measuring: the plan in words, the cache of compiled programs, a new kernel's
// file.
#pragma once

#include <ostream>

#include "base/opencl.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// clgemm's plan for each size and kernel of the options.
void explain_sizes(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// Where the cache of compiled programs lies, and what is in it.
void show_cache(std::ostream& out);

void clear_cache(std::ostream& out);

// Takes kernels out of quarantine: they are tested again.
void clear_quarantine(std::ostream& out);

// Measures again whenever a kernel file of the options, or a file that one of them includes, changes, and
// says how the times differ from those before. A kernel that does not compile is said to, and waited for.
// Ends with the process, or after `rounds` measurements where that is not 0.
void watch(std::ostream& out, const BenchOptions& options, const cl::Device& device, std::size_t rounds);

}  // namespace clgemm::bench
