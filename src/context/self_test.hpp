// Trust, then verify: before clgemm takes a kernel of its own choice for the first time on a device and
// driver, it multiplies a small problem with it whose result is known exactly. Layer 5.
#pragma once

#include "launch/launch.hpp"

namespace clgemm {

// False where the environment variable CLGEMM_SELF_TEST is 0.
bool self_tests_are_on();

// What a plan is tried on. Integers; those of A or of B so large that they need all planes where numbers are
// split into bf16; or integers beside a number that planes cannot hold, so that the kernel that multiplies
// otherwise has the work.
enum class TestNumbers { integers, large_a, large_b, beyond_planes };

// Runs the programs of a plan, as they are built: one row, one column and one step of k more
// than a tile, a batch of two, alpha and beta, gaps between the rows of C. True where every element of C is
// exact and everything around C is as it was. Costs a few milliseconds. Throws cl::Error.
bool passes_self_test(const BuiltPlan& built, const Problem& problem, TestNumbers numbers,
                      const cl::Context& context, const cl::Device& device);

}  // namespace clgemm
