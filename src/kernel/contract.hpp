// The contract of kernels/README.md for the kernel function of each role: its name and number of arguments.
#pragma once

#include <array>
#include <string_view>

#include "kernel/manifest.hpp"

namespace clgemm {

struct RoleContract {
  Role role;
  const char* name;      // the name in the manifest
  const char* function;  // the name in the source
  unsigned arguments;
};
inline constexpr std::array<RoleContract, 6> role_contracts = {
    {{Role::multiply, "multiply", "gemm", 17},
     {Role::fallback, "fallback", "fallback", 19},
     {Role::pack, "pack", "pack", 12},
     {Role::pack_both, "pack_both", "pack_both", 26},
     {Role::scale, "scale", "scale", 7},
     {Role::reduce, "reduce", "reduce", 12}}};

// A kernel with `batch` has two more arguments: the number of matrices, and their list.
inline constexpr unsigned batch_arguments = 2;

// A kernel with `adds_parts` has more arguments after those: the place for the results of the slices along k.
inline constexpr unsigned parts_arguments = 6;

// A kernel that reads range notes and writes whether the product is done has these arguments after the
// others.
inline constexpr unsigned range_notes_arguments = 5;

constexpr const RoleContract& contract_of(Role role) {
  return role_contracts[static_cast<std::size_t>(role)];
}

// Returns the number of arguments of this kernel's function.
inline unsigned arguments_of(const Manifest& manifest) {
  return contract_of(manifest.role).arguments + (manifest.takes_lists() ? batch_arguments : 0) +
         (manifest.takes_parts() ? parts_arguments : 0) +
         (manifest.fallback.empty() ? 0 : range_notes_arguments);
}

}  // namespace clgemm
