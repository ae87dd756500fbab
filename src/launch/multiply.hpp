// A whole multiply, or a scaling of C, on a queue: as the plan says, block by block; decides nothing.
#pragma once

#include <memory>
#include <vector>

#include "base/opencl.hpp"
#include "build/built_plan.hpp"
#include "call/gemm.hpp"
#include "launch/kernel_launch.hpp"

namespace clgemm {

// Where a multiply that failed had come to.
struct Progress {
  bool c_touched = false;  // until the first kernel that writes to C is enqueued, C is as it was
  Events commands;         // all that were enqueued, if the sequence goes by events
};

// What a multiply needs beside the matrices; null where it needs none.
struct Workspace {
  cl::Buffer scratch;   // of plan.scratch_bytes
  cl::Buffer arrivals;  // of plan.arrivals() words, all zero
};

// Enqueues the multiply of a problem that the plan is for behind `wait_for`. The event completes when C is
// complete; there is none where nobody observes the sequence, and it goes by its queue.
Events enqueue_multiply(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                        const Workspace& workspace, const Sequence& sequence, const Events& wait_for,
                        Progress& progress);

// Enqueues C <- beta * C behind `wait_for`, by a kernel with `role: scale`.
Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, cl_mem c, const Sequence& sequence, const Events& wait_for);

}  // namespace clgemm
