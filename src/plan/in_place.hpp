// Tells how a kernel can read operands in place, in the caller's memory.
#pragma once

#include <cstddef>

#include "call/problem.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// op(X) as the GEMM kernel sees it.
struct Shape {
  std::size_t rows;
  std::size_t columns;
};

// Returns whether the kernel needs no packed copy of an operand. `tile` is the part of the operand that a
// work-group reads at a time.
bool fits_in_place(const Operand& operand, const KernelConfig& kernel, Shape shape, Shape tile);

// Return whether a kernel that reads operands in place may read A, or B, `align` elements at a time. This is
// so if every line of the operand begins at a multiple of `align`, and its length and the part of it in a
// tile are multiples, too.
bool a_is_aligned(const Problem& problem, const KernelConfig& kernel);
bool b_is_aligned(const Problem& problem, const KernelConfig& kernel);

// Return whether each line of A, or B, as stored, begins at a multiple of `elements` and has such a length.
bool a_lies_in(std::size_t elements, const Problem& problem);
bool b_lies_in(std::size_t elements, const Problem& problem);

}  // namespace clgemm
