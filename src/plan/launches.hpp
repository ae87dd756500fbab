// The launches that a plan makes for each block of its problem, as plain data. launch/ binds the buffers,
// offsets and factors of a call to them, and the speed model adds up their times. Neither makes any other
// decision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/sizes.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// A part of the problem that all stages compute before the next block begins.
struct Block : GemmSize {
  // The position of its first element: in C, along k, and in the batch.
  std::size_t row = 0, column = 0, depth = 0, batch = 0;
  std::size_t batch_count = 1;
};

// Returns the plan's block at the problem's first element. No other block is larger.
inline Block first_block(const Plan& plan) {
  return {{plan.block_m, plan.block_n, plan.block_k}, 0, 0, 0, 0, plan.block_batch};
}

// Returns whether nothing of the problem follows the block.
inline bool is_last(const Block& block, const Problem& problem) {
  return block.row + block.m == problem.m && block.column + block.n == problem.n &&
         block.depth + block.k == problem.k && block.batch + block.batch_count == problem.batch_count;
}

// Calls body(block) for every block of the problem. Each block is as large as `first` or ends with the
// problem. The blocks of one part of C come in the order of k, and those that share a part of A follow each
// other.
template <class Body>
void for_each_block(const Problem& problem, const Block& first, const Body& body) {
  Block block = first;
  const auto along = [](std::size_t size, std::size_t step, std::size_t& begin, std::size_t& length,
                        const auto& inside) {
    for (begin = 0; begin < size; begin += step) {
      length = std::min(step, size - begin);
      inside();
    }
  };
  along(problem.batch_count, first.batch_count, block.batch, block.batch_count, [&] {
    along(problem.k, first.k, block.depth, block.k, [&] {
      along(problem.m, first.m, block.row, block.m,
            [&] { along(problem.n, first.n, block.column, block.n, [&] { body(std::as_const(block)); }); });
    });
  });
}

// The size that the dimensions of a launch cover, and the part of it that one work-group computes.
struct LaunchSize {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t layers = 1;  // work-groups along dimension 2
  std::size_t group_rows = 1;
  std::size_t group_columns = 1;
  std::size_t most_groups = 0;  // in dimension 0, if a work-group may compute several tiles; 0: all

  // Returns the number of tiles. If there is no limit, each has a work-group.
  std::size_t groups() const {
    return ceil_div(rows, group_rows) * ceil_div(columns, group_columns) * layers;
  }
};

// Returns the launch size in the kernel's own tiles.
inline LaunchSize in_tiles(const KernelConfig& kernel, std::size_t rows, std::size_t columns,
                           std::size_t layers) {
  return {rows, columns, layers, kernel.tile_rows, kernel.tile_columns};
}

// The place that a launch reads or writes: a position in a matrix of the call, at which a block begins, or in
// scratch.
struct MemorySpan {
  enum class Memory { a, b, c, scratch };
  Memory memory = Memory::scratch;
  std::size_t first = 0;  // offset of the first element of the batch's first matrix
  std::size_t ld = 0;
  std::optional<std::size_t> stride{};  // from one matrix to the next; none: as in the call's batch
};

// The factors of a launch: those of the call; or the call's alpha and a beta of 1, which adds to the result
// of earlier blocks in C; or 1 and 0.
enum class Factors { of_call, adding, alone };

// A role may not use all of these members.
struct Launch : GemmSize {
  std::size_t stage;
  ProgramRole role;
  LaunchSize size;
  // Read: the operands of a GEMM or of packing, or, in `a` alone, the results of split-K's slices.
  MemorySpan a, b;
  MemorySpan c;  // written
  Factors factors = Factors::of_call;
  std::size_t batch_count = 1;
  std::size_t depth = 0;   // depth of each slice along k that the GEMM kernel adds up itself
  std::size_t slices = 1;  // slices along k that it adds up
  double moved = 0.0;      // elements that it reads and writes, unless it is a GEMM
  bool waits = true;       // for the launches before it; false: it may run together with the launch before it

  bool writes_c() const { return c.memory == MemorySpan::Memory::c; }
};

// Returns the launches of one block, in their order.
std::vector<Launch> launches_of(const Plan& plan, const Block& block);

}  // namespace clgemm
