#include "launch/enqueue_gemm.hpp"

#include <limits>
#include <tuple>
#include <utility>

#include "plan/blocks.hpp"

namespace clgemm {
namespace {

// A matrix as kernels take it: buffer, offset, leading dimension and stride.
using Place = std::tuple<cl_mem, cl_ulong, cl_ulong, cl_ulong>;

// The things that all blocks of a GEMM share.
struct Launching {
  const BuiltPlan& built;
  const Problem& problem;  // the call's problem as the plan's kernels see it, like the buffers
  const Buffers& buffers;
  const Workspace& workspace;
  const Sequence& sequence;
  std::size_t first_stage;
};

// Makes the values of one launch's arguments from those of the call and the places that the plan chose.
class Binder {
 public:
  Binder(const Launching& with, const Block& block, const Launch& launch)
      : with_(with), block_(block), launch_(launch), stage_(with.built.plan.stages[launch.stage]) {}

  ArgumentValues values() const {
    ArgumentValues to;
    to.m = as_int(launch_.m);
    to.n = as_int(launch_.n);
    to.k = as_int(launch_.k);
    to.alpha = launch_.factors == Factors::alone ? 1.0f : with_.problem.alpha;
    to.beta = beta();
    std::tie(to.c, to.c_offset, to.ldc, to.c_stride) = place(launch_.c);
    if (launch_.role == ProgramRole::reduce) {
      to.parts_count = as_int(launch_.slices);
      std::tie(to.parts_memory, to.parts_offset, to.parts_ld, to.parts_stride) = place(launch_.a);
      return to;
    }
    std::tie(to.a, to.a_offset, to.lda, to.a_stride) = place(launch_.a);
    std::tie(to.b, to.b_offset, to.ldb, to.b_stride) = place(launch_.b);
    to.packed_m = as_int(launch_.size.rows);
    to.packed_n = as_int(launch_.size.columns);
    to.batch_count = as_int(launch_.batch_count);
    to.products = with_.buffers.list;
    set_split(to);
    set_notes(to);
    set_packed(to);
    if (launch_.role == ProgramRole::pack_both) set_pack_both(to);
    return to;
  }

 private:
  // The values for a kernel that adds up the slices along k itself.
  void set_split(ArgumentValues& to) const {
    const SplitPlan& split = stage_.split;
    to.part_depth = as_int(launch_.depth);
    to.parts_memory = scratch();
    to.parts_offset = split.scratch_offset;
    to.parts_ld = split.ld;
    to.parts_stride = split.stride;
    to.arrivals = with_.workspace.arrivals();
  }

  void set_notes(ArgumentValues& to) const {
    const RangeNotes& notes = stage_.notes;
    to.notes = scratch();
    to.notes_offset = notes.scratch_offset;
    to.a_notes = as_int(notes.a_groups);
    to.b_notes = as_int(notes.b_groups);
    to.before = done_before();
  }

  // The values for a kernel that reads one operand in place and the other one packed.
  void set_packed(ArgumentValues& to) const {
    const bool is_a = stage_.gemm().keeps_b;
    const PackedCopy& copy = is_a ? stage_.a : stage_.b;
    to.packed = scratch();
    to.packed_offset = copy.scratch_offset;
    to.packed_stride = copy.stride;
    to.packed_along_k = is_a ? a_along_k() : b_along_k();
  }

  cl_int a_along_k() const { return cl_int{!with_.problem.a.transposed}; }
  cl_int b_along_k() const { return cl_int{with_.problem.b.transposed}; }

  void set_pack_both(ArgumentValues& to) const {
    const Padded size = padded(block_, stage_.gemm());
    to.packed_m = as_int(size.rows);
    to.packed_n = as_int(size.columns);
    to.packed_k = as_int(size.depth);
    to.a_along_k = a_along_k();
    to.b_along_k = b_along_k();
    to.packed_a_offset = stage_.a.scratch_offset;
    to.packed_a_stride = stage_.a.stride;
    to.packed_b_offset = stage_.b.scratch_offset;
    to.packed_b_stride = stage_.b.stride;
  }

  cl_mem scratch() const { return with_.workspace.scratch(); }
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

  Place place(const MemorySpan& span) const {
    const auto in_matrix = [&](cl_mem buffer, const Operand& operand) {
      return Place{buffer, operand.offset + block_.batch * operand.stride + span.first, span.ld,
                   span.stride.value_or(operand.stride)};
    };
    switch (span.memory) {
      case MemorySpan::Memory::a:
        return in_matrix(with_.buffers.a, with_.problem.a);
      case MemorySpan::Memory::b:
        return in_matrix(with_.buffers.b, with_.problem.b);
      case MemorySpan::Memory::c:
        return in_matrix(with_.buffers.c, with_.problem.c);
      case MemorySpan::Memory::scratch:
        break;
    }
    return {scratch(), span.first, span.ld, span.stride.value_or(0)};
  }

  const Launching& with_;
  const Block& block_;
  const Launch& launch_;
  const Stage& stage_;
};

// Enqueues one launch behind `wait_for`.
Events enqueue_launch(const Launching& with, const Block& block, const Launch& launch, const Events& wait_for,
                      bool is_wanted) {
  const KernelConfig& config = *with.built.plan.stages[launch.stage].programs[launch.role];
  return KernelLaunch(config, with.built.stages[launch.stage][launch.role],
                      Binder(with, block, launch).values())
      .enqueue(with.sequence.queue, wait_for, launch.size, is_wanted);
}

// Enqueues the launches of a block behind `wait_for`.
Events enqueue_block(const Launching& launching, const Block& block, const Events& wait_for,
                     Progress& progress) {
  std::vector<Launch> launches = launches_of(launching.built.plan, block);
  std::erase_if(launches, [&](const Launch& launch) { return launch.stage < launching.first_stage; });
  const Sequence& sequence = launching.sequence;
  Events& commands = progress.commands;
  Events before = wait_for;
  Events done;  // events of launches that do not wait for each other
  for (const Launch& launch : launches) {
    if (launch.waits && !done.empty()) before = std::exchange(done, {});
    const bool is_last_launch = &launch == &launches.back() && is_last(block, launching.problem);
    // If anything fails after a launch was enqueued, a second attempt must know about it.
    if (commands.size() == commands.capacity()) commands.reserve(2 * commands.size() + 1);
    Events own = enqueue_launch(launching, block, launch, before,
                                sequence.by_events || (sequence.is_observed && is_last_launch));
    progress.c_touched |= launch.writes_c();
    for (cl::Event& event : own) commands.push_back(std::move(event));
    done.insert(done.end(), commands.end() - static_cast<std::ptrdiff_t>(own.size()), commands.end());
  }
  return done;
}

}  // namespace

Events enqueue_gemm(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                    const Workspace& workspace, const Sequence& sequence, const Events& wait_for,
                    Progress& progress, std::size_t first_stage) {
  const Plan& plan = built.plan;
  const Problem seen = seen_by(plan.config, problem);
  Buffers exchanged;
  if (plan.config.as_transpose) {
    exchanged = buffers;
    std::swap(exchanged.a, exchanged.b);
  }
  const Launching launching{built,     seen,     plan.config.as_transpose ? exchanged : buffers,
                            workspace, sequence, first_stage};
  Events before = wait_for;
  for_each_block(seen, first_block(plan),
                 [&](const Block& block) { before = enqueue_block(launching, block, before, progress); });
  return before;
}

bool first_stage_did_all(const Plan& plan, const Workspace& workspace, const cl::CommandQueue& queue,
                         const Events& done) {
  cl_uint is_done = 0;
  queue.enqueueReadBuffer(workspace.scratch, CL_TRUE, done_offset(plan.first(), 1) * sizeof is_done,
                          sizeof is_done, &is_done, &done);
  return is_done != 0;
}

Events enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                     const Problem& problem, cl_mem c, const Sequence& sequence, const Events& wait_for) {
  Problem flat = problem;
  flat.k = 1;  // the kernel goes over C once
  Events before = wait_for;
  const Block largest{{max_block, max_block, 1}, 0, 0, 0, 0, max_groups_beyond_first};
  for_each_block(flat, largest, [&](const Block& block) {
    const Operand& to = problem.c;
    ArgumentValues values;
    values.m = as_int(block.m);
    values.n = as_int(block.n);
    values.beta = problem.beta;
    values.c = c;
    values.c_offset = to.offset + block.batch * to.stride + block.row * to.ld + block.column;
    values.ldc = to.ld;
    values.c_stride = to.stride;
    const bool is_wanted = sequence.by_events || (sequence.is_observed && is_last(block, flat));
    before = KernelLaunch(config, kernel, values)
                 .enqueue(sequence.queue, before, in_tiles(config, block.m, block.n, block.batch_count),
                          is_wanted);
  });
  return before;
}

}  // namespace clgemm
