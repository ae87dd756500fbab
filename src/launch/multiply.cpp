#include "launch/multiply.hpp"

#include <limits>
#include <utility>

#include "plan/blocks.hpp"

namespace clgemm {
namespace {

// The things that all blocks of a GEMM share.
struct Launching {
  const BuiltPlan& built;
  const Problem& problem;  // the call's problem as the plan's kernels see it, like the buffers
  const Buffers& buffers;
  const Workspace& workspace;
  const Sequence& sequence;
};

// Sets the arguments of one launch: the call's own values, and the places that the plan chose.
class Binder {
 public:
  Binder(const Launching& with, const Block& block, const Launch& launch)
      : with_(with),
        block_(block),
        launch_(launch),
        stage_(with.built.plan.stages[launch.stage]),
        kernel_(*stage_.programs[launch.role], with.built.stages[launch.stage][launch.role]) {}

  Events enqueue(const Events& wait_for, bool is_wanted) {
    switch (launch_.role) {
      case ProgramRole::multiply:
        bind_multiply();
        break;
      case ProgramRole::pack_a:
      case ProgramRole::pack_b:
        kernel_.with(as_int(launch_.m), as_int(launch_.n)).with_matrix(place(launch_.a));
        kernel_.with(as_int(launch_.size.rows), as_int(launch_.size.columns)).with_matrix(place(launch_.c));
        break;
      case ProgramRole::pack_both:
        bind_pack_both();
        break;
      case ProgramRole::reduce:
        bind_reduce();
        break;
    }
    return kernel_.enqueue(with_.sequence.queue, wait_for, launch_.size, is_wanted);
  }

 private:
  void bind_multiply() {
    kernel_.with(as_int(launch_.m), as_int(launch_.n), as_int(launch_.k), alpha());
    kernel_.with_matrix(place(launch_.a)).with_matrix(place(launch_.b));
    kernel_.with(beta()).with_matrix(place(launch_.c));
    const Manifest& manifest = stage_.multiply().manifest();
    if (manifest.takes_lists()) kernel_.with(as_int(launch_.batch_count), with_.buffers.list);
    if (manifest.takes_parts()) {
      const SplitPlan& split = stage_.split;
      kernel_.with(as_int(launch_.depth), scratch(), cl_ulong{split.scratch_offset}, cl_ulong{split.ld},
                   cl_ulong{split.stride}, with_.workspace.arrivals());
    }
    const bool on_planes = stage_.has(ProgramRole::pack_both);
    if (!on_planes && launch_.stage == 0) return;
    kernel_.with(scratch());
    if (on_planes) {
      const RangeNotes& notes = stage_.notes;
      kernel_.with(cl_ulong{notes.scratch_offset}, as_int(notes.a_groups), as_int(notes.b_groups));
    }
    kernel_.with(done_before());
  }

  void bind_pack_both() {
    const RangeNotes& notes = stage_.notes;
    const Padded to = padded(block_, stage_.multiply());
    kernel_.with(as_int(launch_.k), as_int(to.depth), scratch());
    kernel_.with(as_int(notes.a_groups), as_int(launch_.m), as_int(to.rows)).with_matrix(place(launch_.a));
    kernel_.with(cl_int{!with_.problem.a.transposed}, cl_ulong{stage_.a.scratch_offset},
                 cl_ulong{stage_.a.stride});
    kernel_.with(as_int(notes.b_groups), as_int(launch_.n), as_int(to.columns)).with_matrix(place(launch_.b));
    kernel_.with(cl_int{with_.problem.b.transposed}, cl_ulong{stage_.b.scratch_offset},
                 cl_ulong{stage_.b.stride});
    kernel_.with(scratch(), cl_ulong{notes.scratch_offset}, done_before());
  }

  void bind_reduce() {
    const Place to = place(launch_.c);
    kernel_.with(as_int(launch_.m), as_int(launch_.n), as_int(launch_.parts), alpha());
    kernel_.with_matrix(place(launch_.a)).with(beta(), to.buffer, cl_ulong{to.offset}, cl_ulong{to.ld});
  }

  cl_mem scratch() const { return with_.workspace.scratch(); }
  float alpha() const { return launch_.factors == Factors::alone ? 1.0f : with_.problem.alpha; }
  float beta() const {
    if (launch_.factors == Factors::of_call) return with_.problem.beta;
    return launch_.factors == Factors::adding ? 1.0f : 0.0f;
  }

  // Returns the offset at which the stage before writes, in a word for each product, whether the product is
  // done. Returns all ones for the first stage.
  cl_ulong done_before() const {
    if (launch_.stage == 0) return std::numeric_limits<cl_ulong>::max();
    return done_offset(with_.built.plan.stages[launch_.stage - 1], block_.batch_count);
  }

  Place place(const Slice& slice) const {
    const auto in_matrix = [&](cl_mem buffer, const Operand& operand) {
      return Place{buffer, operand.offset + block_.batch * operand.stride + slice.first, slice.ld,
                   slice.stride.value_or(operand.stride)};
    };
    switch (slice.memory) {
      case Slice::Memory::a:
        return in_matrix(with_.buffers.a, with_.problem.a);
      case Slice::Memory::b:
        return in_matrix(with_.buffers.b, with_.problem.b);
      case Slice::Memory::c:
        return in_matrix(with_.buffers.c, with_.problem.c);
      case Slice::Memory::scratch:
        break;
    }
    return {scratch(), slice.first, slice.ld, slice.stride.value_or(0)};
  }

  const Launching& with_;
  const Block& block_;
  const Launch& launch_;
  const Stage& stage_;
  KernelLaunch kernel_;
};

// Enqueues the launches of a block behind `wait_for`.
Events enqueue_block(const Launching& launching, const Block& block, const Events& wait_for,
                     Progress& progress) {
  const std::vector<Launch> launches = launches_of(launching.built.plan, block);
  const Sequence& sequence = launching.sequence;
  Events& commands = progress.commands;
  Events before = wait_for;
  Events done;  // events of launches that do not wait for each other
  for (const Launch& launch : launches) {
    if (launch.waits && !done.empty()) before = std::exchange(done, {});
    const bool is_last_launch = &launch == &launches.back() && is_last(block, launching.problem);
    // If anything fails after a launch was enqueued, a second attempt must know about it.
    if (commands.size() == commands.capacity()) commands.reserve(2 * commands.size() + 1);
    Events own = Binder(launching, block, launch)
                     .enqueue(before, sequence.by_events || (sequence.is_observed && is_last_launch));
    progress.c_touched |= launch.writes_c();
    for (cl::Event& event : own) commands.push_back(std::move(event));
    done.insert(done.end(), commands.end() - static_cast<std::ptrdiff_t>(own.size()), commands.end());
  }
  return done;
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
  for_each_block(seen, first_block(plan),
                 [&](const Block& block) { before = enqueue_block(launching, block, before, progress); });
  return before;
}

Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, cl_mem c, const Sequence& sequence, const Events& wait_for) {
  Problem flat = problem;
  flat.k = 1;  // the kernel goes over C once
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
