// The memory around C that no multiply may write to: the gaps between its lines, a line in front of it, and a
// zone behind it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "call/problem.hpp"

namespace clgemm::bench {

// How much lies behind C, in every C that is checked on a device: as many lines as the largest tiles have, so
// that a kernel that stores without bounds is told where, and does not end the process. 4 MiB at most.
std::size_t guard_elements(const SgemmCall& call);

// What stands there before a multiply: a NaN that no arithmetic makes.
float guard_element();

// A matrix with gaps is taken for a part of a larger one, so that a line lies in front of it: returns the
// offset of its first element.
std::size_t offset_of(const Lines& lines);

// Says in words what was overwritten: "element 2 of the gap behind row 3 was written"; empty if nothing was.
// `memory` is C as the call has it in memory, with what is in front of it and behind it.
std::string damage_around_c(const SgemmCall& call, std::span<const float> memory);

}  // namespace clgemm::bench
