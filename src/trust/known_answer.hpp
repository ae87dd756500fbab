// A small multiply whose result is known exactly, with the programs of a plan.
#pragma once

#include "build/built_plan.hpp"

namespace clgemm {

// What a plan is tried on: integers, those of A or of B so large that they need all planes where numbers are
// split; and beside them perhaps a number that fp16 planes cannot hold, or that no planes can, so that a
// stage behind the first, or the last one, has the work.
struct TestNumbers {
  enum class Large { neither, a, b } large = Large::neither;
  enum class Beyond { nothing, fp16_planes, planes } beyond = Beyond::nothing;
};

// Runs the programs as they are built: one row, one column and one step of k more than a tile, a batch of
// two, alpha and beta, gaps between the rows of C. True where every element of C is exact and everything
// around C is as it was. Costs a few milliseconds. Throws cl::Error.
bool gives_known_answer(const BuiltPlan& built, TestNumbers numbers, const cl::Context& context,
                        const cl::Device& device);

}  // namespace clgemm
