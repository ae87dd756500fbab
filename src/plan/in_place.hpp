// How a kernel can take operands as they lie in the caller's memory.
#pragma once

#include <cstddef>

#include "call/problem.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// op(X) as the multiply kernel sees it.
struct Shape {
  std::size_t rows;
  std::size_t columns;
};

// Whether the kernel needs no packed copy of an operand; `tile` is the part of it that a work-group reads at
// a time.
bool fits_in_place(const Operand& operand, const KernelConfig& kernel, Shape shape, Shape tile);

// Whether a kernel that takes operands as they lie may read A, or B, `align` elements at a time: every line
// of it begins at such a place and is as long.
bool a_is_aligned(const Problem& problem, const KernelConfig& kernel);
bool b_is_aligned(const Problem& problem, const KernelConfig& kernel);

// Whether each line of op(A), as it lies, begins at a multiple of so many elements and has such a length; and
// of op(B).
bool a_lies_in(std::size_t elements, const Problem& problem);
bool b_lies_in(std::size_t elements, const Problem& problem);

}  // namespace clgemm
