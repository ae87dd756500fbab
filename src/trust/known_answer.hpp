// Computes a small GEMM, whose exact result is known, with the programs of a plan.
#pragma once

#include "build/built_plan.hpp"

namespace clgemm {

// The values with which a plan is tested. They are integers. Those of A or of B can be so large that they
// need all planes if values are split. One value may be outside the range of fp16 planes, or of all planes,
// so that a later stage has to do the work. Or A has one number in each row that is much larger than the
// others, so that fp16 planes hold denormal numbers. Some matrix units take these for zero.
struct TestNumbers {
  enum class Large { neither, a, b } large = Large::neither;
  enum class Beyond { nothing, fp16_planes, planes } beyond = Beyond::nothing;
  bool denormal = false;
};

// Runs the programs as built, on one row, one column and one step of k more than a tile, with a batch of two,
// alpha and beta, and gaps between the rows of C. Returns true if every element of C is exact and everything
// around C is unchanged. Takes a few milliseconds. Throws cl::Error.
bool gives_known_answer(const BuiltPlan& built, TestNumbers numbers, const cl::Context& context,
                        const cl::Device& device);

}  // namespace clgemm
