// Enqueues a whole GEMM, or a scaling of C, block by block, as the plan prescribes. It makes no decisions.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/opencl.hpp"
#include "build/built_plan.hpp"
#include "call/gemm.hpp"
#include "launch/kernel_launch.hpp"

namespace clgemm {

// The progress of a GEMM that failed.
struct Progress {
  bool c_touched = false;  // C is unchanged until the first kernel that writes to it is enqueued
  Events commands;         // all enqueued commands, if the sequence goes by events
};

// The memory that a GEMM needs in addition to the matrices; null if it needs none.
struct Workspace {
  cl::Buffer scratch;   // plan.scratch_bytes bytes
  cl::Buffer arrivals;  // plan.arrivals() words, all zero
};

// Enqueues the GEMM of a problem behind `wait_for`, or only the part of it that the stages from `first_stage`
// on do. The plan must be for this problem. The event completes when C is complete. If nobody observes the
// sequence and it goes by its queue, there is no event.
Events enqueue_gemm(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                    const Workspace& workspace, const Sequence& sequence, const Events& wait_for,
                    Progress& progress, std::size_t first_stage = 0);

// Waits for `done`, the last commands of the plan's first stage. Returns whether that stage computed the only
// product of the plan; otherwise C is unchanged.
bool first_stage_did_all(const Plan& plan, const Workspace& workspace, const cl::CommandQueue& queue,
                         const Events& done);

// Enqueues C <- beta * C behind `wait_for`, with a kernel that has `role: scale`.
Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, cl_mem c, const Sequence& sequence, const Events& wait_for);

}  // namespace clgemm
