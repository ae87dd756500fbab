// The kernels that a run measures, and their parameters.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "command_line/options.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::bench {

// The kernel that all others are compared with, unless it takes too long.
inline constexpr const char* baseline_kernel = "naive";

struct KernelChoice {
  std::string name;  // the displayed name; for `auto`, known after the first run
  Options options;   // for clgemm; if they name no kernel, this is `auto`

  // A kernel that was named explicitly must run. Any other kernel that this device cannot run is skipped, and
  // the run reports it.
  bool must_run = false;

  std::string fault = {};  // the fault that a trial before the measurement has shown, in words; empty if none
};

// Returns what `--kernel` and `--param` ask for, without duplicates. Throws Error if a kernel does not exist,
// or if its file or its parameters are invalid.
std::vector<KernelChoice> choose_kernels(const BenchOptions& options, const Device& device);

// Returns the same for one GEMM. Kernels without given parameters get those that clgemm would choose for them
// on this device, or else their defaults.
std::vector<KernelChoice> with_own_parameters(std::vector<KernelChoice> choices, const SgemmCall& call,
                                              const Device& device);

// Returns true if this device cannot run the kernel although nothing is wrong with it.
bool is_device_limit(const Error& error);

}  // namespace clgemm::bench
