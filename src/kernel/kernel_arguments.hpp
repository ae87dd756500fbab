// The arguments of the kernel function of each role, with their names, types and values, in the order of the
// contract in kernels/README.md. kernels/common/arguments.cl has the same lists in OpenCL C.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "base/opencl.hpp"
#include "kernel/manifest.hpp"

namespace clgemm {

// The values of the arguments of one launch. No role uses all of them.
struct ArgumentValues {
  cl_int m = 0, n = 0, k = 0;
  cl_float alpha = 1.0f, beta = 0.0f;
  cl_mem a = nullptr, b = nullptr, c = nullptr;
  cl_ulong a_offset = 0, lda = 0, a_stride = 0;
  cl_ulong b_offset = 0, ldb = 0, b_stride = 0;
  cl_ulong c_offset = 0, ldc = 0, c_stride = 0;

  // With a list of matrices.
  cl_int batch_count = 1;
  cl_mem products = nullptr;

  // With split-K: for a kernel that adds up the slices itself, and for `reduce`.
  cl_int part_depth = 0, parts = 1;
  cl_mem parts_memory = nullptr, arrivals = nullptr;
  cl_ulong parts_offset = 0, parts_ld = 0, parts_stride = 0;

  // With notes about the numbers that were packed.
  cl_mem notes = nullptr;
  cl_int a_notes = 0, b_notes = 0;
  cl_ulong notes_offset = 0, before = 0;

  // For packing. `pack` has the place of the packed copy in `c`.
  cl_mem packed = nullptr;
  cl_int packed_m = 0, packed_n = 0, packed_k = 0;
  cl_int a_along_k = 0, b_along_k = 0;
  cl_ulong packed_a_offset = 0, packed_a_stride = 0, packed_b_offset = 0, packed_b_stride = 0;

  // The packed copy of one operand, for a kernel that reads the other one in place.
  cl_ulong packed_offset = 0, packed_stride = 0;
  cl_int packed_along_k = 0;
};

// An argument of a kernel function: its name in the kernels, and the member that has its value and its type.
struct KernelArgument {
  std::string_view name;
  std::variant<cl_int ArgumentValues::*, cl_ulong ArgumentValues::*, cl_float ArgumentValues::*,
               cl_mem ArgumentValues::*>
      value;

  // Returns the name of its type in OpenCL C.
  const char* type() const;
};

// Returns the arguments of this kernel's function, in their order: those of its role, and those for `batch`,
// `adds_parts`, `fallback` and `unpacked` if its manifest has these keys.
std::array<std::span<const KernelArgument>, 5> arguments_of(const Manifest& manifest);

std::size_t number_of_arguments(const Manifest& manifest);

}  // namespace clgemm
