// The multiply of one block: every stage of the plan in turn, with the packing that it needs.
#pragma once

#include "build/built_plan.hpp"
#include "call/gemm.hpp"
#include "launch/kernel_launch.hpp"

namespace clgemm {

// Where a multiply that failed had come to.
struct Progress {
  bool c_touched = false;  // until the first kernel that writes to C is enqueued, C is as it was
  Events commands;         // all that were enqueued, if the sequence goes by events
};

// A part of the problem that one launch of the multiply kernel covers.
struct Block : GemmSize {
  std::size_t row, column, depth, batch;  // of its first element: in C, along k, in the batch
  std::size_t batch_count;
};

// Nothing of the problem comes behind the block.
inline bool is_last(const Block& block, const Problem& problem) {
  return block.row + block.m == problem.m && block.column + block.n == problem.n &&
         block.depth + block.k == problem.k && block.batch + block.batch_count == problem.batch_count;
}

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
