// Which kernels a run measures, and what each of them is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "command_line/options.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::bench {

// What everything is set against where it does not take too long.
inline constexpr const char* baseline_kernel = "naive";

struct KernelChoice {
  std::string name;  // for people; for `auto`, known after the first run
  Options options;   // for clgemm; no kernel in them means `auto`

  // A kernel that was asked for by its name must run. One of many that this device cannot run is passed over,
  // and said to be.
  bool must_run = false;

  std::string fault = {};  // what a trial before the measurement has shown, in words; empty: nothing
};

// What `--kernel` and `--param` ask for, each once. Throws Error for a kernel that does not exist, whose file
// is bad or whose parameters are.
std::vector<KernelChoice> choose_kernels(const BenchOptions& options, const Device& device);

// The same for one multiply: kernels for which nobody gave parameters have those that clgemm would choose for
// it on this device, where it has some, else their defaults.
std::vector<KernelChoice> with_own_parameters(std::vector<KernelChoice> choices, const SgemmCall& call,
                                              const Device& device);

// The kernels of this list, with their defaults.
std::vector<KernelChoice> choose_steps(std::span<const std::string_view> steps,
                                       const std::string& kernel_folder);

// This device cannot run this kernel, although nothing is wrong with it.
bool is_device_limit(const Error& error);

}  // namespace clgemm::bench
