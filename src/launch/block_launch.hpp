// The multiply of one block, with the packing it needs. Layer 5.
#pragma once

#include <vector>

#include "launch/launch.hpp"

namespace clgemm {

// Of the kernel that is launched behind another: enough to keep a device busy where there is work for it, and
// few to start where, as nearly always, there is none.
inline constexpr std::size_t otherwise_groups_a_unit = 2;

// A part of the problem that one launch of the multiply kernel covers.
struct Block {
  std::size_t row, column, depth, batch;  // of its first element: in C, along k, in the batch
  std::size_t m, n, k, batch_count;
};

// What all blocks of a multiply have in common.
struct Launching {
  const BuiltPlan& built;
  const Problem& problem;  // as the plan's kernels see it
  const Buffers& buffers;
  const cl::Buffer& scratch;
  const cl::CommandQueue& queue;
};

// Enqueues it behind `wait_for`; the event completes when the block's part of C is complete, as far as this
// block of k goes.
cl::Event enqueue_block(const Launching& launching, const Block& block,
                        const std::vector<cl::Event>& wait_for, Progress& progress);

}  // namespace clgemm
