#include "launch/block_launch.hpp"

#include <utility>

#include "launch/enqueue.hpp"

namespace clgemm {
namespace {

// The same matrix from `elements` further on, with parts of k that lie `stride` apart in place of a batch.
Place in_parts(const Place& place, std::size_t elements, std::size_t stride) {
  return {place.buffer, place.offset + elements, place.ld, stride};
}

class BlockLauncher {
 public:
  explicit BlockLauncher(const Launching& launching)
      : built_(launching.built),
        plan_(launching.built.plan),
        problem_(launching.problem),
        buffers_(launching.buffers),
        scratch_(launching.scratch),
        queue_(launching.queue) {}

  cl::Event run(const Block& block, const Events& wait_for, Progress& progress) const {
    return plan_.pack_both ? run_with_notes(block, wait_for, progress) : run_plain(block, wait_for, progress);
  }

 private:
  struct Places {
    Place a, b, c;
  };
  struct Scalars {
    float alpha, beta;
  };

  // A kernel that computes the block's part of C. `more`: arguments beyond those that every such kernel has.
  template <class... More>
  cl::Event enqueue_gemm(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                         const Events& wait_for, const Extent& extent, const Block& block, const Places& at,
                         const Scalars& scalars, const More&... more) const {
    return enqueue_kernel(config, kernel, queue_, wait_for, extent, as_int(block.m), as_int(block.n),
                          as_int(block.k), scalars.alpha, at.a.buffer, cl_ulong{at.a.offset},
                          cl_ulong{at.a.ld}, cl_ulong{at.a.stride}, at.b.buffer, cl_ulong{at.b.offset},
                          cl_ulong{at.b.ld}, cl_ulong{at.b.stride}, scalars.beta, at.c.buffer,
                          cl_ulong{at.c.offset}, cl_ulong{at.c.ld}, cl_ulong{at.c.stride}, more...);
  }

  // The plan's own kernel.
  template <class... More>
  cl::Event multiply(const Block& block, const Places& at, const Scalars& scalars, const Events& wait_for,
                     const More&... more) const {
    return enqueue_gemm(*plan_.multiply, built_.multiply, wait_for,
                        {block.m, block.n, block.batch_count, plan_.group_rows, plan_.group_columns}, block,
                        at, scalars, more...);
  }

  Scalars scalars_for(const Block& block) const {
    return {problem_.alpha, block.depth == 0 ? problem_.beta : 1.0f};
  }

  // Multiplies the whole parts of k as if they were a batch, and what is left of k after them; adds all up.
  cl::Event multiply_in_parts(const Block& block, const Places& at, const Scalars& scalars,
                              const Events& wait_for) const {
    const SplitPlan& split = plan_.split;
    const std::size_t whole = block.k / split.depth;
    const std::size_t rest = block.k % split.depth;
    const std::size_t a_stride = split.depth * (is_transposed(plan_.a, problem_.a) ? at.a.ld : 1);
    const std::size_t b_stride = split.depth * (is_transposed(plan_.b, problem_.b) ? 1 : at.b.ld);
    const auto from_part = [&](std::size_t part) {
      return Places{in_parts(at.a, part * a_stride, a_stride),
                    in_parts(at.b, part * b_stride, b_stride),
                    {scratch_, split.scratch_offset + part * split.stride, split.ld, split.stride}};
    };
    constexpr Scalars plain{1.0f, 0.0f};
    Events parts;
    Block part = block;
    if (whole != 0) {
      part.k = split.depth;
      part.batch_count = whole;
      parts.push_back(multiply(part, from_part(0), plain, wait_for));
    }
    if (rest != 0) {
      part.k = rest;
      part.batch_count = 1;
      parts.push_back(multiply(part, from_part(whole), plain, wait_for));
    }
    const std::size_t fours = block.m * (split.ld / 4);
    return enqueue_kernel(*split.reduce, built_.reduce, queue_, parts, in_tiles(*split.reduce, 1, fours, 1),
                          as_int(block.m), as_int(block.n), as_int(whole + (rest != 0 ? 1 : 0)),
                          scalars.alpha, scratch_, cl_ulong{split.scratch_offset}, cl_ulong{split.ld},
                          cl_ulong{split.stride}, scalars.beta, at.c.buffer, cl_ulong{at.c.offset},
                          cl_ulong{at.c.ld});
  }

  // As the multiply kernel gets the operand.
  static bool is_transposed(const OperandPlan& plan, const Operand& operand) {
    return !plan.pack && operand.transposed;
  }

  // What is packed, and how far it is padded.
  struct Padding {
    std::size_t rows, columns, padded_rows, padded_columns, batch_count;
  };

  // Enqueues the packing of an operand where the plan says so; returns where the multiply kernel finds it.
  Place pack(const OperandPlan& operand, const std::shared_ptr<BuiltKernel>& kernel, const Place& source,
             const Padding& padding, const Events& wait_for, Events& packed) const {
    if (!operand.pack) return source;
    const std::size_t copies = operand.stride == 0 ? 1 : padding.batch_count;
    packed.push_back(enqueue_kernel(
        *operand.pack, kernel, queue_, wait_for,
        in_tiles(*operand.pack, padding.padded_rows, padding.padded_columns, copies), as_int(padding.rows),
        as_int(padding.columns), source.buffer, cl_ulong{source.offset}, cl_ulong{source.ld},
        cl_ulong{source.stride}, as_int(padding.padded_rows), as_int(padding.padded_columns), scratch_,
        cl_ulong{operand.scratch_offset}, cl_ulong{operand.ld}, cl_ulong{operand.stride}));
    return place_in_scratch(operand);
  }

  // Packs what is to be packed, and multiplies.
  cl::Event run_plain(const Block& block, const Events& wait_for, Progress& progress) const {
    const KernelConfig& config = *plan_.multiply;
    const std::size_t rows = round_up(block.m, config.tile_rows);
    const std::size_t columns = round_up(block.n, config.tile_columns);
    const std::size_t depth = round_up(block.k, config.tile_depth);

    Events packed;
    const bool a_is_packed = block.column != 0;  // by the first block of this row of blocks
    const Place a = a_is_packed && plan_.a.pack
                        ? place_in_scratch(plan_.a)
                        : pack(plan_.a, built_.pack_a, a_source(block),
                               {block.m, block.k, rows, depth, block.batch_count}, wait_for, packed);
    const Place b = pack(plan_.b, built_.pack_b, b_source(block),
                         {block.k, block.n, depth, columns, block.batch_count}, wait_for, packed);

    Block multiplied = block;
    if (!config.is_direct()) multiplied.k = depth;
    const Events& before = packed.empty() ? wait_for : packed;
    const Places at{a, b, c_of(block)};
    const cl::Event done = plan_.split.parts > 1
                               ? multiply_in_parts(multiplied, at, scalars_for(block), before)
                               : multiply(multiplied, at, scalars_for(block), before);
    progress = Progress::c_touched;
    return done;
  }

  // Packs both operands, multiplies, and lets the other kernel do it where the device finds that it must.
  cl::Event run_with_notes(const Block& block, const Events& wait_for, Progress& progress) const {
    const cl_ulong notes_offset = plan_.notes_offset;
    const cl_int a_notes = as_int(plan_.a_groups);
    const cl_int b_notes = as_int(plan_.b_groups);
    const Place c = c_of(block);
    Block padded = block;
    padded.k = round_up(block.k, plan_.multiply->tile_depth);
    const cl::Event packed = pack_both(block, wait_for);
    const cl::Event multiplied =
        multiply(padded, {place_in_scratch(plan_.a), place_in_scratch(plan_.b), c}, scalars_for(block),
                 {packed}, scratch_, notes_offset, a_notes, b_notes);
    progress = Progress::c_touched;
    Extent rest = in_tiles(*plan_.otherwise, block.m, block.n, block.batch_count);
    rest.most_groups = otherwise_groups_a_unit * plan_.compute_units;
    return enqueue_gemm(*plan_.otherwise, built_.otherwise, {multiplied}, rest, block,
                        {a_source(block), b_source(block), c}, scalars_for(block), scratch_, notes_offset,
                        a_notes, b_notes);
  }

  cl::Event pack_both(const Block& block, const Events& wait_for) const {
    const KernelConfig& config = *plan_.multiply;
    const Place a = a_source(block);
    const Place b = b_source(block);
    const Extent groups{plan_.a_groups + plan_.b_groups, 1, block.batch_count, 1, 1};
    return enqueue_kernel(
        *plan_.pack_both, built_.pack_both, queue_, wait_for, groups, as_int(block.k),
        as_int(round_up(block.k, config.tile_depth)), scratch_, as_int(plan_.a_groups), as_int(block.m),
        as_int(round_up(block.m, config.tile_rows)), a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld},
        cl_ulong{a.stride}, cl_int{!problem_.a.transposed}, cl_ulong{plan_.a.scratch_offset},
        cl_ulong{plan_.a.stride}, as_int(plan_.b_groups), as_int(block.n),
        as_int(round_up(block.n, config.tile_columns)), b.buffer, cl_ulong{b.offset}, cl_ulong{b.ld},
        cl_ulong{b.stride}, cl_int{problem_.b.transposed}, cl_ulong{plan_.b.scratch_offset},
        cl_ulong{plan_.b.stride}, scratch_, cl_ulong{plan_.notes_offset});
  }

  Place a_source(const Block& block) const {
    return place_of(buffers_.a, problem_.a, block.row, block.depth, block.batch);
  }

  Place b_source(const Block& block) const {
    return place_of(buffers_.b, problem_.b, block.depth, block.column, block.batch);
  }

  Place c_of(const Block& block) const {
    return place_of(buffers_.c, problem_.c, block.row, block.column, block.batch);
  }

  Place place_in_scratch(const OperandPlan& operand) const {
    return {scratch_, operand.scratch_offset, operand.ld, operand.stride};
  }

  const BuiltPlan& built_;
  const Plan& plan_;
  const Problem& problem_;
  const Buffers& buffers_;
  const cl::Buffer& scratch_;
  const cl::CommandQueue& queue_;
};

}  // namespace

cl::Event enqueue_block(const Launching& launching, const Block& block,
                        const std::vector<cl::Event>& wait_for, Progress& progress) {
  return BlockLauncher(launching).run(block, wait_for, progress);
}

}  // namespace clgemm
