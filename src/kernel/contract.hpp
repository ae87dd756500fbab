// The contract of kernels/README.md for the kernel function of each role: its name. kernel_arguments.hpp has
// its arguments.
#pragma once

#include <array>

#include "kernel/manifest.hpp"

namespace clgemm {

struct RoleContract {
  Role role;
  const char* name;      // the name in the manifest
  const char* function;  // the name in the source
};
inline constexpr std::array<RoleContract, 6> role_contracts = {{{Role::gemm, "multiply", "gemm"},
                                                                {Role::fallback, "fallback", "fallback"},
                                                                {Role::pack, "pack", "pack"},
                                                                {Role::pack_both, "pack_both", "pack_both"},
                                                                {Role::scale, "scale", "scale"},
                                                                {Role::reduce, "reduce", "reduce"}}};

constexpr const RoleContract& contract_of(Role role) {
  return role_contracts[static_cast<std::size_t>(role)];
}

}  // namespace clgemm
