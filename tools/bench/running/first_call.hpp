// `--first-call`: what the very first multiply of a process costs, in processes of their own.
//
// The time is the wall clock's, from before the child's first OpenCL call until C is complete: finding the
// device, the context, the upload, the compiler. Cold: caches of compiled programs are empty. Warm: they hold
// what an earlier process of the same kind left there, clgemm's own, PoCL's and NVIDIA's alike.
#pragma once

#include <string>

#include "command_line/options.hpp"

namespace clgemm::bench {

struct FirstCall {
  double cold_ms = 0.0;
  double warm_ms = 0.0;
};

// Stands for the options' only kernel; anything else that can be first is what `--peer` asks for.
inline constexpr const char* first_call_of_kernel = "--kernel";

// The options have one size. Throws std::runtime_error where a child fails.
FirstCall measure_first_call(const BenchOptions& options, const std::string& who);

// The child's part: the time of options.first_call_of.
double time_first_call(const BenchOptions& options);

}  // namespace clgemm::bench
