// What is searched: kernels with values for their parameters, as far as the manifests' rules and the device's
// limits allow.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/config.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::tune {

// All configs of one kernel that this device can have, each with a value for every parameter, in the order of
// the parameters' lists.
struct KernelSpace {
  std::string kernel;
  std::vector<Manifest::Parameter> parameters;
  std::vector<Config> configs;
};

// Throws Error for a kernel that does not exist or whose file is bad. Kernels without any config here have an
// empty list.
KernelSpace space_of(const std::string& kernel, const Device& device, KernelLibrary& library);

// The same of several. One that is named and has no config here throws what is in its way; "all" stands for
// all that have any.
std::vector<KernelSpace> spaces_of(const std::vector<std::string>& kernels, const Device& device,
                                   KernelLibrary& library);

// The configs of the space that differ in one parameter, by one step in its list.
std::vector<Config> neighbours(const KernelSpace& space, const Config& config);

// The 36 configs of the TVM project's article on tuning GEMM: tiles of 8, 16 and 32 rows and columns, 8 or 16
// deep, with vectors or without.
inline constexpr const char* tvm_kernel = "tiled_vector";

}  // namespace clgemm::tune
