// The memory around C that no GEMM may write to: the gaps between its lines, a line before it, and a zone
// after it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "call/problem.hpp"

namespace clgemm::bench {

// Returns the size of the zone after every C that is checked on a device. It has as many lines as the largest
// tiles. So if a kernel stores without bounds, the check can report where, and the process continues. At most
// 4 MiB.
std::size_t guard_elements(const SgemmCall& call);

// Returns the value in this memory before a GEMM: a NaN that is never the result of arithmetic.
float guard_element();

// Returns the offset of the first element. A matrix with gaps counts as a part of a larger one, so there is a
// line before it.
std::size_t offset_of(const Lines& lines);

// Describes what was overwritten: "element 2 of the gap behind row 3 was written". Empty if nothing was.
// `memory` is C as the call has it in memory, with the elements before and after it.
std::string damage_around_c(const SgemmCall& call, std::span<const float> memory);

}  // namespace clgemm::bench
