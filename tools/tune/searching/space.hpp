// The search space: kernels with values for their parameters that the manifests' rules and the device's
// limits allow.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/config.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::tune {

// All configs of one kernel that this device can run, each with a value for every parameter, in the order of
// the parameters' lists.
struct KernelSpace {
  std::string kernel;
  std::vector<Manifest::Parameter> parameters;
  std::vector<Config> configs;
};

// Throws Error if a kernel does not exist or its file is invalid. A kernel without any config here gets an
// empty list.
KernelSpace space_of(const std::string& kernel, const Device& device, KernelLibrary& library);

// Returns the same for several kernels. If a kernel is named and has no config here, throws the reason. "all"
// means every kernel that has any.
std::vector<KernelSpace> spaces_of(const std::vector<std::string>& kernels, const Device& device,
                                   KernelLibrary& library);

// Returns the configs of the space that differ in one parameter, by one step in its list.
std::vector<Config> neighbours(const KernelSpace& space, const Config& config);

// The 36 configs of the TVM project's article on tuning GEMM: tiles of 8, 16 and 32 rows and columns, 8 or 16
// deep, with vectors or without.
inline constexpr const char* tvm_kernel = "tiled_vector";

}  // namespace clgemm::tune
