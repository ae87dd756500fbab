#include "plan/launches.hpp"

#include "plan/blocks.hpp"
#include "plan/k_split.hpp"

namespace clgemm {
namespace {

using Memory = MemorySpan::Memory;

// Lists the launches of one stage on one block.
class StageLaunches {
 public:
  StageLaunches(const Plan& plan, std::size_t number, const Block& block, std::vector<Launch>& all)
      : plan_(plan),
        number_(number),
        stage_(plan.stages[number]),
        block_(block),
        padded_(padded(block, stage_.gemm())),
        walked_k_(walked_k(block.k, stage_.gemm())),
        a_(span_of(Memory::a, plan.problem.a, block.row, block.depth)),
        b_(span_of(Memory::b, plan.problem.b, block.depth, block.column)),
        c_(span_of(Memory::c, plan.problem.c, block.row, block.column)),
        factors_(block.depth == 0 ? Factors::of_call : Factors::adding),
        all_(all) {}

  void add() {
    const Problem& problem = plan_.problem;
    if (stage_.has(ProgramRole::pack_both)) pack_both();
    // The first block of a row of blocks has packed A for the others, unless another stage has overwritten
    // the copy.
    const bool a_is_there = block_.column != 0 && plan_.stages.size() == 1;
    const std::size_t before = all_.size();
    pack(ProgramRole::pack_a, stage_.a, {block_.m, block_.k, 0}, padded_.rows, padded_.depth, a_is_there, a_);
    pack(ProgramRole::pack_b, stage_.b, {block_.k, block_.n, 0}, padded_.depth, padded_.columns, false, b_);
    if (all_.size() == before + 2) all_.back().waits = false;
    if (stage_.split.slices == 1 || stage_.split.arrivals != 0) return add_gemm();
    gemm_in_slices(problem.a.transposed && a_.memory == Memory::a ? a_.ld : 1,
                   problem.b.transposed && b_.memory == Memory::b ? 1 : b_.ld);
  }

 private:
  // Returns the slice of op(X) that begins at a row and a column.
  static MemorySpan span_of(Memory memory, const Operand& operand, std::size_t row, std::size_t column) {
    return {memory, operand.transposed ? column * operand.ld + row : row * operand.ld + column, operand.ld};
  }
  static MemorySpan span_of(const PackedCopy& copy) {
    return {Memory::scratch, copy.scratch_offset, copy.ld, copy.stride};
  }

  Launch& add(ProgramRole role, const GemmSize& covers, const LaunchSize& size) {
    return all_.emplace_back(Launch{covers, number_, role, size, a_, b_, c_, factors_, block_.batch_count});
  }

  void pack(ProgramRole role, const PackedCopy& copy, const GemmSize& covers, std::size_t rows,
            std::size_t columns, bool is_there, MemorySpan& operand) {
    if (!stage_.has(role)) return;
    if (!is_there) {
      Launch& launch = add(role, covers, in_tiles(*stage_.programs[role], rows, columns, copies_of(copy)));
      launch.a = operand;
      launch.c = span_of(copy);
      launch.moved = moved(copy, rows, columns);
    }
    operand = span_of(copy);
  }

  std::size_t copies_of(const PackedCopy& copy) const { return copy.stride == 0 ? 1 : block_.batch_count; }

  // Returns the number of elements that are read and written to pack an operand of this size.
  double moved(const PackedCopy& copy, std::size_t rows, std::size_t columns) const {
    return static_cast<double>(copies_of(copy)) *
           (static_cast<double>(rows) * static_cast<double>(columns) + static_cast<double>(copy.elements));
  }

  // Packs A and B, or the one that the GEMM kernel does not read in place, in one launch, whose work-groups
  // write notes.
  void pack_both() {
    const std::size_t groups = stage_.notes.a_groups + stage_.notes.b_groups;
    Launch& launch = add(ProgramRole::pack_both, block_, {groups, 1, block_.batch_count, 1, 1});
    launch.c = {};
    const KernelConfig& kernel = stage_.gemm();
    if (!kernel.keeps_a) launch.moved += moved(stage_.a, padded_.rows, padded_.depth);
    if (!kernel.keeps_b) launch.moved += moved(stage_.b, padded_.depth, padded_.columns);
    if (kernel.manifest().keeps_one()) return;  // it gets the packed copy beside both operands
    a_ = span_of(stage_.a);
    b_ = span_of(stage_.b);
  }

  Launch& add_gemm(std::size_t k, std::size_t layers) {
    Launch& launch = add(ProgramRole::gemm, {block_.m, block_.n, k},
                         {block_.m, block_.n, layers, stage_.group_rows, stage_.group_columns});
    launch.depth = k;
    return launch;
  }

  void add_gemm() {
    Launch& launch = add_gemm(walked_k_, ceil_div(block_.batch_count, stage_.gemm().matrices));
    if (stage_.split.arrivals == 0) {
      launch.size.most_groups = stage_.most_groups;
      return;
    }
    launch.depth = stage_.split.depth;
    launch.size.layers = launch.slices = ceil_div(walked_k_, launch.depth);
  }

  // Computes the slices along k of full depth as if they were a batch, and the rest of k beside them. A
  // second kernel adds them up. `a_step` and `b_step` are the elements from one k to the next in each
  // operand.
  void gemm_in_slices(std::size_t a_step, std::size_t b_step) {
    const SplitPlan& split = stage_.split;
    const std::size_t whole = walked_k_ / split.depth;
    const MemorySpan results{Memory::scratch, split.scratch_offset, split.ld, split.stride};
    const auto slices_of = [](const MemorySpan& all, std::size_t first, std::size_t stride) {
      return MemorySpan{all.memory, all.first + first * stride, all.ld, stride};
    };
    const auto add_slices = [&](std::size_t first, std::size_t count, std::size_t depth) {
      if (count == 0 || depth == 0) return;
      Launch& launch = add_gemm(depth, ceil_div(count, stage_.gemm().matrices));
      launch.a = slices_of(a_, first, split.depth * a_step);
      launch.b = slices_of(b_, first, split.depth * b_step);
      launch.c = slices_of(results, first, split.stride);
      launch.factors = Factors::alone;
      launch.batch_count = count;
      launch.waits = first == 0;
    };
    const std::size_t rest = walked_k_ % split.depth;
    add_slices(0, whole, split.depth);
    add_slices(whole, 1, rest);
    Launch& launch = add(ProgramRole::reduce, block_,
                         in_tiles(*stage_.programs[ProgramRole::reduce], 1, block_.m * (split.ld / 4), 1));
    launch.a = results;
    launch.slices = whole + (rest != 0 ? 1 : 0);
    launch.moved = static_cast<double>(block_.m) * static_cast<double>(block_.n) *
                   (2.0 * static_cast<double>(launch.slices) + 1.0);
  }

  const Plan& plan_;
  std::size_t number_;
  const Stage& stage_;
  const Block& block_;
  Padded padded_;
  std::size_t walked_k_;
  MemorySpan a_, b_, c_;  // as the GEMM kernel finds them
  Factors factors_;
  std::vector<Launch>& all_;
};

}  // namespace

std::vector<Launch> launches_of(const Plan& plan, const Block& block) {
  // Reserve no more than needed: with 1.2 KiB a call took 3.0 us instead of 2.4, because glibc tidies up its
  // heap for that size (64 x 64 x 64 on an EPYC with PoCL, 25 November 2026).
  std::size_t most = 1;  // for the rest of k
  for_each_program(plan, [&most](std::size_t, ProgramRole) { ++most; });
  std::vector<Launch> result;
  result.reserve(most);
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
    StageLaunches(plan, stage, block, result).add();
  return result;
}

}  // namespace clgemm
