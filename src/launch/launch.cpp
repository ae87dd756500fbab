#include "launch/launch.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "launch/block_launch.hpp"
#include "launch/enqueue.hpp"

namespace clgemm {
namespace {

// Every block of the problem; those of one part of C in the order of k, and those that share a part of A one
// after the other. `body` gets each in turn.
template <class Body>
void for_each_block(const Problem& problem, const Plan& plan, const Body& body) {
  for (std::size_t batch = 0; batch < problem.batch_count; batch += plan.block_batch) {
    for (std::size_t depth = 0; depth < problem.k; depth += plan.block_k) {
      for (std::size_t row = 0; row < problem.m; row += plan.block_m) {
        for (std::size_t column = 0; column < problem.n; column += plan.block_n) {
          body(Block{row, column, depth, batch, std::min(plan.block_m, problem.m - row),
                     std::min(plan.block_n, problem.n - column), std::min(plan.block_k, problem.k - depth),
                     std::min(plan.block_batch, problem.batch_count - batch)});
        }
      }
    }
  }
}

}  // namespace

std::vector<std::shared_ptr<BuiltKernel>> BuiltPlan::programs() const {
  std::vector<std::shared_ptr<BuiltKernel>> result;
  for (const auto& program : {multiply, pack_a, pack_b, pack_both, otherwise, reduce}) {
    if (program) result.push_back(program);
  }
  return result;
}

BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose) {
  const auto get = [&](const SharedConfig& config) {
    return config ? programs.get(config, purpose) : nullptr;
  };
  const bool is_first = !programs.has(plan.multiply);
  const auto when =
      is_first ? std::launch::async : std::launch::deferred;  // no threads for what is built already
  BuiltPlan result;
  struct Helper {
    const SharedConfig& config;
    std::shared_ptr<BuiltKernel>& built;
    std::future<std::shared_ptr<BuiltKernel>> task;
  };
  Helper helpers[] = {{plan.a.pack, result.pack_a, {}},
                      {plan.b.pack, result.pack_b, {}},
                      {plan.pack_both, result.pack_both, {}},
                      {plan.otherwise, result.otherwise, {}},
                      {plan.split.reduce, result.reduce, {}}};
  for (Helper& helper : helpers) {
    if (helper.config) helper.task = std::async(when, get, helper.config);
  }
  result.multiply = get(plan.multiply);
  for (Helper& helper : helpers) {
    if (helper.task.valid()) helper.built = helper.task.get();
  }
  result.plan = std::move(plan);
  return result;
}

cl::Event enqueue_multiply(const BuiltPlan& built, const Problem& stated, const Buffers& stated_buffers,
                           const cl::Buffer& scratch, const cl::CommandQueue& queue,
                           const std::vector<cl::Event>& wait_for, Progress& progress) {
  const Problem problem = seen_by(built.plan.choice, stated);
  Buffers buffers = stated_buffers;
  if (built.plan.choice.mirrored) std::swap(buffers.a, buffers.b);
  const Launching launching{built, problem, buffers, scratch, queue};
  Events before = wait_for;
  for_each_block(problem, built.plan,
                 [&](const Block& block) { before = {enqueue_block(launching, block, before, progress)}; });
  return before.front();
}

cl::Event enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                        const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                        const std::vector<cl::Event>& wait_for) {
  Problem flat = problem;
  flat.k = 1;  // C is passed over once
  Plan blocks;
  blocks.block_m = blocks.block_n = max_block;
  blocks.block_k = 1;
  blocks.block_batch = max_groups_beyond_first;
  Events before = wait_for;
  for_each_block(flat, blocks, [&](const Block& block) {
    const Place place = place_of(c, problem.c, block.row, block.column, block.batch);
    before = {enqueue_kernel(config, kernel, queue, before,
                             in_tiles(config, block.m, block.n, block.batch_count), as_int(block.m),
                             as_int(block.n), problem.beta, c, cl_ulong{place.offset}, cl_ulong{place.ld},
                             cl_ulong{place.stride})};
  });
  return before.front();
}

}  // namespace clgemm
