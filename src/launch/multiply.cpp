#include "launch/multiply.hpp"

#include <algorithm>
#include <utility>

#include "launch/kernel_launch.hpp"
#include "plan/blocks.hpp"

namespace clgemm {
namespace {

// The sides of a block, at most.
struct BlockSize : GemmSize {
  std::size_t batch_count;
};

// Every block of the problem; those of one part of C in the order of k, and those that share a part of A one
// after the other. `body` gets each in turn.
template <class Body>
void for_each_block(const Problem& problem, const BlockSize& size, const Body& body) {
  for (std::size_t batch = 0; batch < problem.batch_count; batch += size.batch_count) {
    for (std::size_t depth = 0; depth < problem.k; depth += size.k) {
      for (std::size_t row = 0; row < problem.m; row += size.m) {
        for (std::size_t column = 0; column < problem.n; column += size.n) {
          body(Block{{std::min(size.m, problem.m - row), std::min(size.n, problem.n - column),
                      std::min(size.k, problem.k - depth)},
                     row,
                     column,
                     depth,
                     batch,
                     std::min(size.batch_count, problem.batch_count - batch)});
        }
      }
    }
  }
}

}  // namespace

Events enqueue_multiply(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                        const Workspace& workspace, const Sequence& sequence, const Events& wait_for,
                        Progress& progress) {
  const Plan& plan = built.plan;
  const Problem seen = seen_by(plan.config, problem);
  Buffers exchanged;
  if (plan.config.mirrored) {
    exchanged = buffers;
    std::swap(exchanged.a, exchanged.b);
  }
  const Launching launching{built, seen, plan.config.mirrored ? exchanged : buffers, workspace, sequence};
  Events before = wait_for;
  for_each_block(seen, {{plan.block_m, plan.block_n, plan.block_k}, plan.block_batch},
                 [&](const Block& block) { before = enqueue_block(launching, block, before, progress); });
  return before;
}

Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, const cl::Buffer& c, const Sequence& sequence,
                     const Events& wait_for) {
  Problem flat = problem;
  flat.k = 1;  // C is passed over once
  Events before = wait_for;
  for_each_block(flat, {{max_block, max_block, 1}, max_groups_beyond_first}, [&](const Block& block) {
    const Place place = place_of(c, problem.c, block.row, block.column, block.batch);
    const bool is_wanted = sequence.by_events || (sequence.is_observed && is_last(block, flat));
    before = KernelLaunch(config, kernel)
                 .with(as_int(block.m), as_int(block.n), problem.beta)
                 .with_matrix(place)
                 .enqueue(sequence.queue, before, in_tiles(config, block.m, block.n, block.batch_count),
                          is_wanted);
  });
  return before;
}

}  // namespace clgemm
