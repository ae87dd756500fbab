// `--first-call`: the time of the very first GEMM of a process, measured in separate processes.
//
// The time is wall-clock time from before the child's first OpenCL call until C is complete. It includes
// finding the device, the context, the upload and the compiler. Cold: the caches of compiled programs are
// empty. Warm: they hold what an earlier process of the same kind left there. This applies to clgemm's,
// PoCL's and NVIDIA's caches.
#pragma once

#include <string>

#include "command_line/options.hpp"

namespace clgemm::bench {

struct FirstCall {
  double cold_ms = 0.0;
  double warm_ms = 0.0;
};

// Stands for the options' only kernel. Any other value is a peer, as in `--peer`.
inline constexpr const char* first_call_of_kernel = "--kernel";

// The options must have one size. Throws std::runtime_error if a child fails.
FirstCall measure_first_call(const BenchOptions& options, const std::string& who);

// Runs in the child, and returns the time of options.first_call_of.
double time_first_call(const BenchOptions& options);

}  // namespace clgemm::bench
