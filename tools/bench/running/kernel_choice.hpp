// Which kernels a run measures, and what each of them is.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "command_line/options.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::bench {

struct KernelChoice {
  std::string name;  // for people; for `auto`, known after the first run
  Options options;   // for clgemm; no kernel in them means `auto`

  // A kernel that was asked for by its name must run. One of many that this device cannot run is passed over,
  // and said to be.
  bool must_run = false;
};

// What `--kernel` and `--param` ask for, each once. Throws Error for a kernel that does not exist, whose file
// is bad or whose parameters are.
std::vector<KernelChoice> choose_kernels(const BenchOptions& options, const Device& device);

// The kernels of this list, with their defaults.
std::vector<KernelChoice> choose_steps(std::span<const std::string_view> steps,
                                       const std::string& kernel_folder);

struct RunningKernel {
  std::string name;
  Parameters parameters;  // all of them, with the values in effect
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
};

// What the choice stands for on this device and problem. For `auto`, call it after a first run: clgemm takes
// the first of its candidates that the device can run, and whether it can is known to `runs` only, which
// throws Error where not.
RunningKernel resolve(const KernelChoice& choice, const Device& device, const Problem& problem,
                      const std::function<void(const Options&)>& runs);

// This device cannot run this kernel, although nothing is wrong with it.
bool is_device_limit(const Error& error);

}  // namespace clgemm::bench
