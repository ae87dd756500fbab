// The way of a call through the drop-in library: to a device if that is faster, and otherwise, or if the
// device fails, to the BLAS of the CPU.
#pragma once

#include "blas/call.hpp"

namespace clgemm::blas {

// C is complete when it returns. It throws nothing. The arguments have been checked. Any thread may call it.
void multiply(const Call& call) noexcept;

// Computes a whole batch in which no GEMM reads the result of another. It goes to the device as one batch if
// that is faster and no C occurs twice.
void multiply(const Batch& batch) noexcept;

}  // namespace clgemm::blas
