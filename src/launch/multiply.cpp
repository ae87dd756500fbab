#include "launch/multiply.hpp"

#include <utility>

#include "launch/kernel_launch.hpp"
#include "plan/blocks.hpp"

namespace clgemm {

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
  for_each_block(seen, first_block(plan),
                 [&](const Block& block) { before = enqueue_block(launching, block, before, progress); });
  return before;
}

Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, const cl::Buffer& c, const Sequence& sequence,
                     const Events& wait_for) {
  Problem flat = problem;
  flat.k = 1;  // C is passed over once
  Events before = wait_for;
  const Block largest{{max_block, max_block, 1}, 0, 0, 0, 0, max_groups_beyond_first};
  for_each_block(flat, largest, [&](const Block& block) {
    const Operand& to = problem.c;
    const Place place{c, to.offset + block.batch * to.stride + block.row * to.ld + block.column, to.ld,
                      to.stride};
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
