// The arguments of the kernel function of each role, with their names, types and values, in the order of the
// contract in kernels/README.md.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "base/opencl.hpp"
#include "kernel/manifest.hpp"

namespace clgemm {

// OpenCL C and C++ share the struct of all numbers.
namespace opencl_c {
using ulong = cl_ulong;
#include "common/numbers.cl"
}  // namespace opencl_c
using opencl_c::Numbers;
static_assert(sizeof(int) == sizeof(cl_int) && offsetof(Numbers, a_offset) == 16 * sizeof(cl_int) &&
                  sizeof(Numbers) == 16 * sizeof(cl_int) + 20 * sizeof(cl_ulong),
              "the struct has gaps, or a ulong at no multiple of 8, so OpenCL C may place it differently");

// The values of the arguments of one launch. No role uses all of them. `pack` has the place of the packed
// copy in `c`.
struct ArgumentValues : Numbers {
  ArgumentValues() : Numbers{} {
    alpha = 1.0f;
    batch_count = parts_count = 1;
  }

  cl_mem a = nullptr, b = nullptr, c = nullptr;
  cl_mem products = nullptr;                          // a list of matrices
  cl_mem parts_memory = nullptr, arrivals = nullptr;  // for split-K
  cl_mem notes = nullptr;                             // about the numbers that were packed
  cl_mem packed = nullptr;
};

// An argument of a kernel function: its name in the kernels, and the member that has its value and its type.
struct KernelArgument {
  std::string_view name;
  std::variant<cl_int ArgumentValues::*, cl_ulong ArgumentValues::*, cl_float ArgumentValues::*,
               cl_mem ArgumentValues::*>
      value;

  // Returns the name of its type in OpenCL C.
  const char* type() const;

  bool is_number() const { return !std::holds_alternative<cl_mem ArgumentValues::*>(value); }
};

// How a kernel function takes its numbers: each as an argument, or all as one of type Numbers, which then is
// the last argument.
enum class Passing { one_by_one, as_struct };

// Returns the arguments of this kernel's function if it takes them one by one, in their order: those of its
// role, and those for `batch`, `adds_parts`, `fallback` and `unpacked` if its manifest has these keys.
std::array<std::span<const KernelArgument>, 5> arguments_of(const Manifest& manifest);

std::size_t number_of_arguments(const Manifest& manifest, Passing passing);

}  // namespace clgemm
