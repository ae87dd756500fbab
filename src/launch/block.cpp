#include "launch/block.hpp"

#include <limits>

#include "base/sizes.hpp"
#include "plan/blocks.hpp"

namespace clgemm {
namespace {

// Where the multiply of a stage finds its operands, and what must be complete before it begins.
struct Operands {
  Place a, b;
  Events ready;
};

struct Scalars {
  float alpha, beta;
};

// The same matrix from `elements` further on, with parts of k that lie `stride` apart in place of a batch.
Place in_parts(const Place& place, std::size_t elements, std::size_t stride) {
  return {place.buffer, place.offset + elements, place.ld, stride};
}

// One stage of the plan on one block.
class StageLauncher {
 public:
  StageLauncher(const Launching& launching, std::size_t stage, const Block& block, Progress& progress)
      : plan_(launching.built.plan),
        problem_(launching.problem),
        stage_(plan_.stages[stage]),
        before_(stage == 0 ? nullptr : &plan_.stages[stage - 1]),
        kernels_(launching.built.stages[stage]),
        buffers_(launching.buffers),
        scratch_(launching.workspace.scratch),
        arrivals_(launching.workspace.arrivals),
        sequence_(launching.sequence),
        block_(block),
        progress_(progress),
        padded_(padded(block, multiply_kernel())) {}

  // Packs what is to be packed, and multiplies.
  Events run(const Events& wait_for) const {
    const Operands from = stage_.has(ProgramRole::pack_both) ? pack_both(wait_for) : pack(wait_for);
    Block multiplied = block_;
    if (!multiply_kernel().reads_in_place()) multiplied.k = padded_.depth;
    const Scalars scalars{problem_.alpha, block_.depth == 0 ? problem_.beta : 1.0f};
    if (stage_.split.parts > 1 && stage_.split.arrivals == 0)
      return multiply_in_parts(multiplied, from, scalars);
    return multiply(multiplied, from.a, from.b, c(), scalars, from.ready, Ends::stage);
  }

 private:
  const KernelConfig& multiply_kernel() const { return stage_.multiply(); }

  KernelLaunch launch(ProgramRole role) const { return KernelLaunch(*stage_.programs[role], kernels_[role]); }

  enum class Ends { nothing, stage };  // what a launch brings to its end

  // Whatever fails once a launch is enqueued, a second attempt must know of it.
  Events enqueue(KernelLaunch& kernel, const Events& wait_for, const LaunchSize& size,
                 Ends ends = Ends::nothing) const {
    Events& commands = progress_.commands;
    if (commands.size() == commands.capacity()) commands.reserve(2 * commands.size() + 1);
    const bool is_last_launch =
        ends == Ends::stage && &stage_ == &plan_.stages.back() && is_last(block_, problem_);
    Events done = kernel.enqueue(sequence_.queue, wait_for, size,
                                 sequence_.by_events || (sequence_.is_observed && is_last_launch));
    progress_.c_touched |= ends == Ends::stage;
    for (cl::Event& event : done) commands.push_back(std::move(event));
    return {commands.end() - static_cast<std::ptrdiff_t>(done.size()), commands.end()};
  }

  Events multiply(const Block& block, const Place& a, const Place& b, const Place& c, const Scalars& scalars,
                  const Events& wait_for, Ends ends) const {
    KernelLaunch kernel = launch(ProgramRole::multiply);
    kernel.with(as_int(block.m), as_int(block.n), as_int(block.k), scalars.alpha);
    kernel.with_matrix(a).with_matrix(b).with(scalars.beta).with_matrix(c);
    if (multiply_kernel().manifest().takes_lists()) kernel.with(as_int(block.batch_count), buffers_.list);
    const SplitPlan& split = stage_.split;
    const bool adds_parts = ends == Ends::stage && split.arrivals != 0;
    if (multiply_kernel().manifest().takes_parts()) {
      kernel.with(as_int(adds_parts ? split.depth : block.k), scratch_, cl_ulong{split.scratch_offset},
                  cl_ulong{split.ld}, cl_ulong{split.stride}, arrivals_);
    }
    const bool on_planes = stage_.has(ProgramRole::pack_both);
    if (on_planes || before_ != nullptr) kernel.with(scratch_);
    if (on_planes) {
      const RangeNotes& notes = stage_.notes;
      kernel.with(cl_ulong{notes.scratch_offset}, as_int(notes.a_groups), as_int(notes.b_groups));
    }
    if (on_planes || before_ != nullptr) kernel.with(done_before());
    return enqueue(kernel, wait_for,
                   {block.m, block.n,
                    adds_parts ? ceil_div(block.k, split.depth)
                               : ceil_div(block.batch_count, multiply_kernel().matrices),
                    stage_.group_rows, stage_.group_columns},
                   ends);
  }

  // Multiplies the whole parts of k as if they were a batch, and what is left of k after them; adds all up.
  Events multiply_in_parts(const Block& block, const Operands& from, const Scalars& scalars) const {
    const SplitPlan& split = stage_.split;
    const std::size_t whole = block.k / split.depth;
    const std::size_t rest = block.k % split.depth;
    const bool a_transposed = !stage_.has(ProgramRole::pack_a) && problem_.a.transposed;
    const bool b_transposed = !stage_.has(ProgramRole::pack_b) && problem_.b.transposed;
    const std::size_t a_stride = split.depth * (a_transposed ? from.a.ld : 1);
    const std::size_t b_stride = split.depth * (b_transposed ? 1 : from.b.ld);
    Events parts;
    const auto multiply_parts = [&](std::size_t first, std::size_t count, std::size_t depth) {
      if (count == 0 || depth == 0) return;
      Block part = block;
      part.k = depth;
      part.batch_count = count;
      const Events done = multiply(
          part, in_parts(from.a, first * a_stride, a_stride), in_parts(from.b, first * b_stride, b_stride),
          {scratch_, split.scratch_offset + first * split.stride, split.ld, split.stride}, {1.0f, 0.0f},
          from.ready, Ends::nothing);
      parts.insert(parts.end(), done.begin(), done.end());
    };
    multiply_parts(0, whole, split.depth);
    multiply_parts(whole, 1, rest);
    return add_up(block, whole + (rest != 0 ? 1 : 0), scalars, parts);
  }

  Events add_up(const Block& block, std::size_t parts, const Scalars& scalars, const Events& ready) const {
    const SplitPlan& split = stage_.split;
    const Place to = c();
    const std::size_t fours = block.m * (split.ld / 4);
    KernelLaunch reduce = launch(ProgramRole::reduce);
    reduce.with(as_int(block.m), as_int(block.n), as_int(parts), scalars.alpha)
        .with_matrix({scratch_, split.scratch_offset, split.ld, split.stride})
        .with(scalars.beta, to.buffer, cl_ulong{to.offset}, cl_ulong{to.ld});
    return enqueue(reduce, ready, in_tiles(*stage_.programs[ProgramRole::reduce], 1, fours, 1), Ends::stage);
  }

  // A and B each by itself, where the stage packs them.
  Operands pack(const Events& wait_for) const {
    Events packed;
    // The first block of a row of blocks has packed A for the others, unless another stage wrote over it.
    const bool a_is_there = block_.column != 0 && plan_.stages.size() == 1;
    const Place a = pack_one(ProgramRole::pack_a, stage_.a, a_source(), {block_.m, block_.k},
                             {padded_.rows, padded_.depth}, a_is_there, wait_for, packed);
    const Place b = pack_one(ProgramRole::pack_b, stage_.b, b_source(), {block_.k, block_.n},
                             {padded_.depth, padded_.columns}, false, wait_for, packed);
    return {a, b, packed.empty() ? wait_for : packed};
  }

  struct Shape {
    std::size_t rows, columns;
  };

  Place pack_one(ProgramRole role, const PackedCopy& copy, const Place& source, const Shape& shape,
                 const Shape& padded, bool is_there, const Events& wait_for, Events& packed) const {
    if (!stage_.has(role)) return source;
    const Place to = in_scratch(copy);
    if (is_there) return to;
    const std::size_t copies = copy.stride == 0 ? 1 : block_.batch_count;
    KernelLaunch pack = launch(role);
    pack.with(as_int(shape.rows), as_int(shape.columns)).with_matrix(source);
    pack.with(as_int(padded.rows), as_int(padded.columns)).with_matrix(to);
    const Events done =
        enqueue(pack, wait_for, in_tiles(*stage_.programs[role], padded.rows, padded.columns, copies));
    packed.insert(packed.end(), done.begin(), done.end());
    return to;
  }

  // A and B in one launch, whose work-groups leave notes.
  Operands pack_both(const Events& wait_for) const {
    const RangeNotes& notes = stage_.notes;
    KernelLaunch pack = launch(ProgramRole::pack_both);
    pack.with(as_int(block_.k), as_int(padded_.depth), scratch_);
    pack.with(as_int(notes.a_groups), as_int(block_.m), as_int(padded_.rows)).with_matrix(a_source());
    pack.with(cl_int{!problem_.a.transposed}, cl_ulong{stage_.a.scratch_offset}, cl_ulong{stage_.a.stride});
    pack.with(as_int(notes.b_groups), as_int(block_.n), as_int(padded_.columns)).with_matrix(b_source());
    pack.with(cl_int{problem_.b.transposed}, cl_ulong{stage_.b.scratch_offset}, cl_ulong{stage_.b.stride});
    pack.with(scratch_, cl_ulong{notes.scratch_offset}, done_before());
    const LaunchSize groups{notes.a_groups + notes.b_groups, 1, block_.batch_count, 1, 1};
    return {in_scratch(stage_.a), in_scratch(stage_.b), enqueue(pack, wait_for, groups)};
  }

  // Where the stage before leaves, a word for each product, whether it is done; all ones for the first stage.
  cl_ulong done_before() const {
    return before_ == nullptr ? std::numeric_limits<cl_ulong>::max()
                              : cl_ulong{done_offset(*before_, block_.batch_count)};
  }

  Place a_source() const { return place_of(buffers_.a, problem_.a, block_.row, block_.depth, block_.batch); }
  Place b_source() const {
    return place_of(buffers_.b, problem_.b, block_.depth, block_.column, block_.batch);
  }
  Place c() const { return place_of(buffers_.c, problem_.c, block_.row, block_.column, block_.batch); }
  Place in_scratch(const PackedCopy& copy) const {
    return {scratch_, copy.scratch_offset, copy.ld, copy.stride};
  }

  const Plan& plan_;
  const Problem& problem_;
  const Stage& stage_;
  const Stage* before_;  // null: it is the first
  const ByRole<std::shared_ptr<BuiltKernel>>& kernels_;
  const Buffers& buffers_;
  const cl::Buffer& scratch_;
  const cl::Buffer& arrivals_;
  const Sequence& sequence_;
  const Block& block_;
  Progress& progress_;
  Padded padded_;
};

}  // namespace

Events enqueue_block(const Launching& launching, const Block& block, const Events& wait_for,
                     Progress& progress) {
  Events before = wait_for;
  for (std::size_t stage = 0; stage < launching.built.stages.size(); ++stage)
    before = StageLauncher(launching, stage, block, progress).run(before);
  return before;
}

}  // namespace clgemm
