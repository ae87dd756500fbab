// What is searched: kernels with values for their parameters, as far as the manifests' rules and the device's
// limits allow.
#pragma once

#include <string>
#include <vector>

#include "kernel/config_cache.hpp"
#include "kernel/manifest.hpp"

namespace clgemm::tune {

struct Config {
  std::string kernel;
  Parameters parameters;  // every one of the kernel's

  auto operator<=>(const Config&) const = default;
};

// "panels KC=384 MR=9"
std::string to_string(const Config& config);

// All configs of one kernel that this device can have, in the order of their parameters' lists; each can be
// found again by its place in its kernel's lists.
struct KernelSpace {
  std::string kernel;
  std::vector<Manifest::Parameter> parameters;
  std::vector<Config> configs;
};

// Throws Error for a kernel that does not exist or whose file is bad. Kernels without any config here have an
// empty list.
KernelSpace space_of(const std::string& kernel, const Device& device, KernelLibrary& library);

// The same, without those of this list that have none here. `kernels` may say "all".
std::vector<KernelSpace> spaces_of(const std::vector<std::string>& kernels, const Device& device,
                                   KernelLibrary& library);

// The configs of the space that differ in one parameter, by one step in its list.
std::vector<Config> neighbours(const KernelSpace& space, const Config& config);

// The 36 configs of the TVM project's article on tuning GEMM: tiles of 8, 16 and 32 rows and columns, 8 or 16
// deep, with vectors or without.
inline constexpr const char* tvm_kernel = "tiled_vector";

}  // namespace clgemm::tune
