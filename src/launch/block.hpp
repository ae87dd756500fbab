// The launches of one block, as the plan lists them, on the matrices of a call.
#pragma once

#include "build/built_plan.hpp"
#include "call/gemm.hpp"
#include "launch/kernel_launch.hpp"
#include "plan/launches.hpp"

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

// What all blocks of a multiply have in common.
struct Launching {
  const BuiltPlan& built;
  const Problem& problem;  // of the call, as the plan's kernels see it, and so its buffers
  const Buffers& buffers;
  const Workspace& workspace;
  const Sequence& sequence;
};

// Enqueues it behind `wait_for`. The event, where the sequence has one, completes when the block's part of C
// is complete, as far as this block of k goes.
Events enqueue_block(const Launching& launching, const Block& block, const Events& wait_for,
                     Progress& progress);

}  // namespace clgemm
