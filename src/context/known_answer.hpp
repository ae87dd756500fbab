// A small multiply whose result is known exactly, with the programs of a plan.
#pragma once

#include "build/built_plan.hpp"

namespace clgemm {

// What a plan is tried on. Integers; those of A or of B so large that they need all planes where numbers are
// split into bf16; or integers beside a number that planes cannot hold, so that the kernel of the second
// stage has the work.
enum class TestNumbers { integers, large_a, large_b, beyond_planes };

// Runs the programs as they are built: one row, one column and one step of k more than a tile, a batch of
// two, alpha and beta, gaps between the rows of C. True where every element of C is exact and everything
// around C is as it was. Costs a few milliseconds. Throws cl::Error.
bool gives_known_answer(const BuiltPlan& built, TestNumbers numbers, const cl::Context& context,
                        const cl::Device& device);

}  // namespace clgemm
