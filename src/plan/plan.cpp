#include "plan/plan.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/sizes.hpp"

namespace clgemm {
namespace {

std::string describe_operand(const Stage& stage, ProgramRole role, const PackedCopy& copy) {
  const char* name = facts_of(role).makes;
  if (stage.has(role)) {
    return fmt::format("{}: packed by {}, leading dimension {}\n", name,
                       stage.programs[role]->manifest().name, copy.ld);
  }
  return fmt::format("{}: used in place{}\n", name,
                     stage.gemm().reads_in_place() ? "" : ", because it already has the right form");
}

std::string describe_operands(const Stage& stage) {
  if (!stage.has(ProgramRole::pack_both)) {
    return describe_operand(stage, ProgramRole::pack_a, stage.a) +
           describe_operand(stage, ProgramRole::pack_b, stage.b);
  }
  const KernelConfig& kernel = stage.gemm();
  const std::string& pack = stage.programs[ProgramRole::pack_both]->manifest().name;
  if (kernel.keeps_a) return fmt::format("op(A): used in place\nop(B): packed by {}\n", pack);
  if (kernel.keeps_b) return fmt::format("op(A): packed by {}\nop(B): used in place\n", pack);
  return fmt::format("{}: packed by {}\n", facts_of(ProgramRole::pack_both).makes, pack);
}

std::string describe_blocks(const Plan& plan) {
  const Problem& problem = plan.problem;
  const KernelConfig& kernel = plan.first().gemm();
  std::string result;
  if (kernel.manifest().keeps_one()) {
    const bool is_a = kernel.keeps_b;
    const std::size_t side = is_a ? problem.m : problem.n;
    result = fmt::format("padding of the packed copy: {} {} to {}, k {} to {}\n", is_a ? "m" : "n", side,
                         round_up(side, is_a ? kernel.tile_rows : kernel.tile_columns), problem.k,
                         round_up(problem.k, kernel.tile_depth));
  } else if (!kernel.reads_in_place()) {
    result = fmt::format("padding: m {} to {}, n {} to {}, k {} to {}\n", problem.m,
                         round_up(problem.m, kernel.tile_rows), problem.n,
                         round_up(problem.n, kernel.tile_columns), problem.k,
                         round_up(problem.k, kernel.tile_depth));
  }
  const std::size_t blocks = ceil_div(problem.m, plan.block_m) * ceil_div(problem.n, plan.block_n) *
                             ceil_div(problem.k, plan.block_k) *
                             ceil_div(problem.batch_count, plan.block_batch);
  return result + fmt::format("blocks: {} of at most {} x {} x {}, {} of {} GEMMs at a time\n", blocks,
                              plan.block_m, plan.block_n, plan.block_k, plan.block_batch,
                              problem.batch_count);
}

}  // namespace

Problem as_planned(const Problem& problem) {
  const auto alignment = [](std::size_t elements) {
    return elements % cache_line == 0 ? 0 : std::size_t{1} << std::countr_zero(elements);
  };
  Problem result = problem;
  result.alpha = 1.0f;
  result.beta = 0.0f;
  for (Operand* operand : {&result.a, &result.b}) {
    operand->offset = alignment(operand->offset);
    if (operand->stride != 0) operand->stride = cache_line + alignment(operand->stride);  // 0: one for all
  }
  result.c = {};
  result.c.ld = problem.c.ld;
  return result;
}

Plan first_stage_of(const Plan& plan) {
  Plan result = plan;
  result.stages.erase(result.stages.begin() + 1, result.stages.end());
  return result;
}

std::string describe(const Plan& plan) {
  const Stage& first = plan.first();
  const KernelConfig& kernel = first.gemm();
  std::string result = fmt::format("{}: {} {} ({})\n", facts_of(ProgramRole::gemm).makes, kernel.name,
                                   describe_values(kernel.values), kernel.file->path);
  if (plan.config.as_transpose)
    result += "transposed: computed as C^T = op(B)^T op(A)^T; below, A stands for B^T and B for A^T\n";
  result += describe_operands(first) + describe_blocks(plan);
  for (std::size_t behind = 1; behind < plan.stages.size(); ++behind) {
    result += fmt::format("fallback: {}, if the device finds numbers that the kernel cannot use\n",
                          plan.stages[behind].gemm().name);
  }
  if (kernel.manifest().takes_shares()) {
    result += fmt::format("shares: {} x {} elements of C for each work-group\n", first.group_rows,
                          first.group_columns);
  }
  if (first.split.arrivals != 0) {
    result += fmt::format("{}: {} slices of at most {} values of k, added up in the same launch\n",
                          facts_of(ProgramRole::reduce).makes, first.split.slices, first.split.depth);
  }
  if (first.has(ProgramRole::reduce)) {
    result += fmt::format("{}: {} slices of at most {} values of k, added up by {}\n",
                          facts_of(ProgramRole::reduce).makes, first.split.slices, first.split.depth,
                          first.programs[ProgramRole::reduce]->manifest().name);
  }
  return result + fmt::format("scratch: {} bytes\n", plan.scratch_bytes);
}

}  // namespace clgemm
