#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "error.hpp"

namespace clgemm {
namespace {

using Events = std::vector<cl::Event>;

// A part of the problem that one launch of the multiply kernel covers.
struct Block {
  std::size_t row, column, depth, batch;  // of its first element: in C, along k, in the batch
  std::size_t m, n, k, batch_count;
};

// Where a kernel finds a matrix.
struct Place {
  const cl::Buffer& buffer;
  std::size_t offset;
  std::size_t ld;
  std::size_t stride;
};

// What the dimensions of a launch cover, and the part of it that one work-group does.
struct Extent {
  std::size_t rows;
  std::size_t columns;
  std::size_t batch_count;
  std::size_t group_rows;
  std::size_t group_columns;
};

Extent in_tiles(const KernelConfig& config, std::size_t rows, std::size_t columns, std::size_t batch_count) {
  return {rows, columns, batch_count, config.tile_rows, config.tile_columns};
}

cl_int as_int(std::size_t value) {
  return static_cast<cl_int>(value);
}

// The device will not run this kernel, whatever the problem.
bool means_unlaunchable(cl_int status) {
  return status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE ||
         status == CL_INVALID_PROGRAM_EXECUTABLE;
}

std::size_t groups_along(GridAxis axis, const Extent& extent) {
  const std::size_t rows = (extent.rows + extent.group_rows - 1) / extent.group_rows;
  const std::size_t columns = (extent.columns + extent.group_columns - 1) / extent.group_columns;
  switch (axis) {
    case GridAxis::rows:
      return rows;
    case GridAxis::columns:
      return columns;
    case GridAxis::tiles:
      return rows * columns;
  }
  throw Error(ErrorCode::internal_error, "a grid axis without a meaning");
}

template <class... Arguments>
cl::Event enqueue_kernel(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built,
                         const cl::CommandQueue& queue, const Events& wait_for, const Extent& extent,
                         const Arguments&... arguments) {
  BuiltKernel::Lease kernel(built);
  cl_uint index = 0;
  ((*kernel).setArg(index++, arguments), ...);

  std::size_t local[2] = {1, 1};
  std::size_t global[2] = {1, 1};
  const auto& grid = config.manifest().grid;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    local[i] = config.local[i];
    global[i] = groups_along(grid[i], extent) * local[i];
  }
  cl::Event done;
  try {
    queue.enqueueNDRangeKernel(*kernel, cl::NullRange, cl::NDRange(global[0], global[1], extent.batch_count),
                               cl::NDRange(local[0], local[1], 1), &wait_for, &done);
  } catch (const cl::Error& failure) {
    if (!means_unlaunchable(failure.err())) throw;
    throw Error(ErrorCode::device_limit_exceeded,
                fmt::format("the kernel '{}' with {} cannot be launched: {}", config.name,
                            describe_values(config.values), opencl_status_name(failure.err())));
  }
  kernel.launched(done);
  return done;
}

// A part of a matrix, by its first element as op(X) has it, and the first matrix of the batch.
Place place_of(const cl::Buffer& buffer, const Operand& operand, std::size_t row, std::size_t column,
               std::size_t batch) {
  const std::size_t element = operand.transposed ? column * operand.ld + row : row * operand.ld + column;
  return {buffer, operand.offset + batch * operand.stride + element, operand.ld, operand.stride};
}

// The same matrix from `elements` further on, with parts of k that lie `stride` apart in place of a batch.
Place in_parts(const Place& place, std::size_t elements, std::size_t stride) {
  return {place.buffer, place.offset + elements, place.ld, stride};
}

// The multiply of one block, with the packing it needs.
class BlockLauncher {
 public:
  BlockLauncher(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                const cl::Buffer& scratch, const cl::CommandQueue& queue)
      : built_(built),
        plan_(built.plan),
        problem_(problem),
        buffers_(buffers),
        scratch_(scratch),
        queue_(queue) {}

  cl::Event run(const Block& block, const Events& wait_for, Progress& progress) const {
    const KernelConfig& config = *plan_.multiply;
    const std::size_t rows = round_up(block.m, config.tile_rows);
    const std::size_t columns = round_up(block.n, config.tile_columns);
    const std::size_t depth = round_up(block.k, config.tile_depth);

    Events packed;
    const Place a_source = place_of(buffers_.a, problem_.a, block.row, block.depth, block.batch);
    const Place b_source = place_of(buffers_.b, problem_.b, block.depth, block.column, block.batch);
    const bool a_is_packed = block.column != 0;  // by the first block of this row of blocks
    const Place a = a_is_packed && plan_.a.pack
                        ? place_in_scratch(plan_.a)
                        : pack(plan_.a, built_.pack_a, a_source,
                               {block.m, block.k, rows, depth, block.batch_count}, wait_for, packed);
    const Place b = pack(plan_.b, built_.pack_b, b_source,
                         {block.k, block.n, depth, columns, block.batch_count}, wait_for, packed);
    const Place c = place_of(buffers_.c, problem_.c, block.row, block.column, block.batch);

    Block multiplied = block;
    if (!config.is_direct()) multiplied.k = depth;
    const Scalars scalars{problem_.alpha, block.depth == 0 ? problem_.beta : 1.0f};
    const Events& before = packed.empty() ? wait_for : packed;
    const cl::Event done = plan_.split.parts > 1 ? multiply_in_parts(multiplied, {a, b, c}, scalars, before)
                                                 : multiply(multiplied, {a, b, c}, scalars, before);
    progress = Progress::c_touched;
    return done;
  }

 private:
  struct Places {
    Place a, b, c;
  };
  struct Scalars {
    float alpha, beta;
  };

  cl::Event multiply(const Block& block, const Places& at, const Scalars& scalars,
                     const Events& wait_for) const {
    return enqueue_kernel(*plan_.multiply, built_.multiply, queue_, wait_for,
                          {block.m, block.n, block.batch_count, plan_.group_rows, plan_.group_columns},
                          as_int(block.m), as_int(block.n), as_int(block.k), scalars.alpha, at.a.buffer,
                          cl_ulong{at.a.offset}, cl_ulong{at.a.ld}, cl_ulong{at.a.stride}, at.b.buffer,
                          cl_ulong{at.b.offset}, cl_ulong{at.b.ld}, cl_ulong{at.b.stride}, scalars.beta,
                          at.c.buffer, cl_ulong{at.c.offset}, cl_ulong{at.c.ld}, cl_ulong{at.c.stride});
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
  for (const auto& program : {multiply, pack_a, pack_b, reduce}) {
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
  std::future<std::shared_ptr<BuiltKernel>> pack_a;
  std::future<std::shared_ptr<BuiltKernel>> pack_b;
  std::future<std::shared_ptr<BuiltKernel>> reduce;
  if (plan.a.pack) pack_a = std::async(when, get, plan.a.pack);
  if (plan.b.pack) pack_b = std::async(when, get, plan.b.pack);
  if (plan.split.reduce) reduce = std::async(when, get, plan.split.reduce);
  result.multiply = get(plan.multiply);
  if (pack_a.valid()) result.pack_a = pack_a.get();
  if (pack_b.valid()) result.pack_b = pack_b.get();
  if (reduce.valid()) result.reduce = reduce.get();
  result.plan = std::move(plan);
  return result;
}

cl::Event enqueue_multiply(const BuiltPlan& built, const Problem& stated, const Buffers& stated_buffers,
                           const cl::Buffer& scratch, const cl::CommandQueue& queue,
                           const std::vector<cl::Event>& wait_for, Progress& progress) {
  const Problem problem = seen_by(built.plan.choice, stated);
  Buffers buffers = stated_buffers;
  if (built.plan.choice.mirrored) std::swap(buffers.a, buffers.b);
  const BlockLauncher launcher(built, problem, buffers, scratch, queue);
  Events before = wait_for;
  for_each_block(problem, built.plan,
                 [&](const Block& block) { before = {launcher.run(block, before, progress)}; });
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
