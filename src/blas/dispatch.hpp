// The way of a call through the drop-in: to a device where that pays, to the BLAS of the CPU where it does
// not, and to the CPU too where the device fails.
#pragma once

#include "blas/call.hpp"

namespace clgemm::blas {

// C is complete when it returns; throws nothing. The arguments have been checked. Any thread may call.
void multiply(const Call& call) noexcept;

// Computes a whole batch in which no GEMM reads the result of another. It goes to the device as one batch if
// that is faster and no C occurs twice.
void multiply(const Batch& batch) noexcept;

}  // namespace clgemm::blas
