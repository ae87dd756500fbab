#include "launch.hpp"

#include <algorithm>

namespace clgemm {
namespace {

using Events = std::vector<cl::Event>;

// A part of the problem that one launch of the multiply kernel covers.
struct Block {
  std::size_t row, column, depth;  // of its first element, in C and along k
  std::size_t m, n, k;
};

// Where a kernel finds a matrix.
struct Place {
  const cl::Buffer& buffer;
  std::size_t offset;
  std::size_t ld;
};

cl_int as_int(std::size_t value) {
  return static_cast<cl_int>(value);
}

template <class... Arguments>
cl::Event enqueue_kernel(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built,
                         const cl::CommandQueue& queue, const Events& wait_for, std::size_t rows,
                         std::size_t columns, const Arguments&... arguments) {
  BuiltKernel::Lease kernel(built);
  cl_uint index = 0;
  ((*kernel).setArg(index++, arguments), ...);

  std::size_t local[2] = {1, 1};
  std::size_t global[2] = {1, 1};
  const auto& grid = config.manifest().grid;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const bool along_rows = grid[i] == GridAxis::rows;
    const std::size_t size = along_rows ? rows : columns;
    const std::size_t tile = along_rows ? config.tile_rows : config.tile_columns;
    local[i] = config.local[i];
    global[i] = (size + tile - 1) / tile * local[i];
  }
  cl::Event done;
  queue.enqueueNDRangeKernel(*kernel, cl::NullRange, cl::NDRange(global[0], global[1]),
                             cl::NDRange(local[0], local[1]), &wait_for, &done);
  return done;
}

// The first element of op(X)'s block, from the start of the buffer.
std::size_t offset_of(const Operand& operand, std::size_t row, std::size_t column) {
  return operand.offset + (operand.transposed ? column * operand.ld + row : row * operand.ld + column);
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

  cl::Event run(const Block& block, const Events& wait_for) const {
    const KernelConfig& config = *plan_.multiply;
    const std::size_t depth = round_up(block.k, config.tile_depth);
    const Place a_in_place{buffers_.a, offset_of(problem_.a, block.row, block.depth), problem_.a.ld};
    const Place b_in_place{buffers_.b, offset_of(problem_.b, block.depth, block.column), problem_.b.ld};
    const Place c{buffers_.c, offset_of(problem_.c, block.row, block.column), problem_.c.ld};

    Events packed;
    const Place a = pack(plan_.a, built_.pack_a, a_in_place, {block.m, block.k},
                         {round_up(block.m, config.tile_rows), depth}, wait_for, packed);
    const Place b = pack(plan_.b, built_.pack_b, b_in_place, {block.k, block.n},
                         {depth, round_up(block.n, config.tile_columns)}, wait_for, packed);

    const float beta = block.depth == 0 ? problem_.beta : 1.0f;
    const std::size_t k = config.is_direct() ? block.k : depth;
    return enqueue_kernel(config, built_.multiply, queue_, packed.empty() ? wait_for : packed, block.m,
                          block.n, as_int(block.m), as_int(block.n), as_int(k), problem_.alpha, a.buffer,
                          cl_ulong{a.offset}, cl_ulong{a.ld}, b.buffer, cl_ulong{b.offset}, cl_ulong{b.ld},
                          beta, c.buffer, cl_ulong{c.offset}, cl_ulong{c.ld});
  }

 private:
  struct Shape {
    std::size_t rows, columns;
  };

  // Enqueues the packing of an operand where the plan says so; returns where the multiply kernel finds it.
  Place pack(const OperandPlan& operand, const std::shared_ptr<BuiltKernel>& kernel, const Place& source,
             Shape shape, Shape padded, const Events& wait_for, Events& packed) const {
    if (!operand.pack) return source;
    packed.push_back(enqueue_kernel(*operand.pack, kernel, queue_, wait_for, padded.rows, padded.columns,
                                    as_int(shape.rows), as_int(shape.columns), source.buffer,
                                    cl_ulong{source.offset}, cl_ulong{source.ld}, as_int(padded.rows),
                                    as_int(padded.columns), scratch_, cl_ulong{operand.scratch_offset},
                                    cl_ulong{operand.ld}));
    return {scratch_, operand.scratch_offset, operand.ld};
  }

  const BuiltPlan& built_;
  const Plan& plan_;
  const Problem& problem_;
  const Buffers& buffers_;
  const cl::Buffer& scratch_;
  const cl::CommandQueue& queue_;
};

}  // namespace

BuiltPlan build(Plan plan, ProgramCache& programs) {
  BuiltPlan result;
  result.multiply = programs.get(plan.multiply);
  if (plan.a.pack) result.pack_a = programs.get(plan.a.pack);
  if (plan.b.pack) result.pack_b = programs.get(plan.b.pack);
  result.plan = std::move(plan);
  return result;
}

cl::Event enqueue_multiply(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                           const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_for,
                           ScratchPool& scratch) {
  const Plan& plan = built.plan;
  ScratchPool::Buffer packed;
  if (plan.scratch_bytes != 0) packed = scratch.take(plan.scratch_bytes);

  Events before = wait_for;
  if (packed.last_use() != nullptr) before.push_back(packed.last_use);
  const BlockLauncher launcher(built, problem, buffers, packed.memory, queue);
  for (std::size_t depth = 0; depth < problem.k; depth += plan.block_k) {
    for (std::size_t row = 0; row < problem.m; row += plan.block_m) {
      for (std::size_t column = 0; column < problem.n; column += plan.block_n) {
        const Block block{row,
                          column,
                          depth,
                          std::min(plan.block_m, problem.m - row),
                          std::min(plan.block_n, problem.n - column),
                          std::min(plan.block_k, problem.k - depth)};
        before = {launcher.run(block, before)};
      }
    }
  }
  cl::Event done = before.front();
  if (plan.scratch_bytes != 0) {
    packed.last_use = done;
    scratch.give_back(std::move(packed));
  }
  return done;
}

cl::Event enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                        const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                        const std::vector<cl::Event>& wait_for) {
  Events before = wait_for;
  for (std::size_t row = 0; row < problem.m; row += max_block) {
    for (std::size_t column = 0; column < problem.n; column += max_block) {
      const std::size_t m = std::min(max_block, problem.m - row);
      const std::size_t n = std::min(max_block, problem.n - column);
      before = {enqueue_kernel(config, kernel, queue, before, m, n, as_int(m), as_int(n), problem.beta, c,
                               cl_ulong{offset_of(problem.c, row, column)}, cl_ulong{problem.c.ld})};
    }
  }
  return before.front();
}

}  // namespace clgemm
