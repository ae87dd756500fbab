// The way of a call through the drop-in: to a device where that pays, to the BLAS of the CPU where it does
// not, and to the CPU too where the device fails.
#pragma once

#include "blas/call.hpp"

namespace clgemm::blas {

// C is complete when it returns; throws nothing. The arguments have been checked. Any thread may call.
void multiply(const Call& call) noexcept;

// All of a batch, of which no multiply reads what another one writes: together where that is faster, unless a
// C is in it twice.
void multiply(const Batch& batch) noexcept;

}  // namespace clgemm::blas
