// The plan of one GEMM. It is plain data, made without any OpenCL call, and launch/ carries it out exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "call/problem.hpp"
#include "kernel/config.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

using SharedConfig = std::shared_ptr<const KernelConfig>;

// The task of a program in a stage of a plan. The self-test tries the programs in this order: first the GEMM
// kernel by itself, then each of its helpers together with the programs that passed before it.
enum class ProgramRole { gemm, pack_a, pack_b, pack_both, reduce };

struct ProgramRoleFacts {
  ProgramRole role;
  const char* makes;     // the name of its result in explain()
  bool can_be_left_out;  // the GEMM kernel can be tried without it, on operands that it can read in place
};
inline constexpr std::array<ProgramRoleFacts, 5> program_roles = {{
    {ProgramRole::gemm, "kernel", false},
    {ProgramRole::pack_a, "op(A)", true},
    {ProgramRole::pack_b, "op(B)", true},
    {ProgramRole::pack_both, "op(A), op(B)", false},  // the GEMM kernel reads only its copies
    {ProgramRole::reduce, "split-K", true},
}};

constexpr const ProgramRoleFacts& facts_of(ProgramRole role) {
  return program_roles[static_cast<std::size_t>(role)];
}

// Holds a value for each role.
template <class T>
class ByRole {
 public:
  T& operator[](ProgramRole role) { return all_[static_cast<std::size_t>(role)]; }
  const T& operator[](ProgramRole role) const { return all_[static_cast<std::size_t>(role)]; }

 private:
  std::array<T, program_roles.size()> all_{};
};

// The layout and the place in scratch of the packed copy of an operand, in a stage that packs it.
struct PackedCopy {
  std::size_t ld = 0;              // in elements
  std::size_t elements = 0;        // in one packed copy of a whole block
  std::size_t stride = 0;          // from one packed copy of a batch to the next; 0 if all share one copy
  std::size_t scratch_offset = 0;  // offset of the first packed copy, in elements
};

// The notes that the work-groups of a stage's `pack_both` write about the values that they read, first A's,
// then B's. The device reads them to decide, without the host, whether the stage's GEMM kernel can do the
// work.
struct RangeNotes {
  std::size_t a_groups = 0;  // work-groups for each copy of A
  std::size_t b_groups = 0;
  std::size_t words = 0;           // words that each work-group writes
  std::size_t scratch_offset = 0;  // offset of the first word
};

// Split-K, used when C has too few tiles: the results of the slices along k go to scratch, and the GEMM
// kernel or `reduce` adds them into C.
struct SplitPlan {
  std::size_t wanted_slices = 1;   // at most this many slices
  std::size_t slices = 1;          // slices of a whole block
  std::size_t depth = 0;           // depth of each slice except the last, which has the rest
  std::size_t ld = 0;              // leading dimension of a slice's result, in elements
  std::size_t stride = 0;          // from one slice's result to the next
  std::size_t scratch_offset = 0;  // offset of the first slice's result, in elements
  // Tiles of C whose slices the GEMM kernel itself counts and adds up. 0: `reduce` adds them.
  std::size_t arrivals = 0;
};

// Returns the parts of a problem that its plan depends on. prepare() and explain() know all of them: the
// factors and the place at which C begins are left out. Only the alignment of the other offsets and of the
// strides is kept, so that all blocks of a large matrix are the same problem.
Problem as_planned(const Problem& problem);

// Returns the problem as the kernels of the config see it.
inline Problem seen_by(const Config& config, const Problem& problem) {
  return with_vectors_as_lines(config.as_transpose ? transposed_problem(problem) : problem);
}

// One GEMM kernel with the programs that pack its operands and add up its slices.
struct Stage {
  ByRole<SharedConfig> programs;  // null: the stage has no such program
  PackedCopy a;
  PackedCopy b;
  RangeNotes notes;
  SplitPlan split;

  // The part of C that one work-group computes: the kernel's tile, or less if the kernel takes shares.
  std::size_t group_rows = 1;
  std::size_t group_columns = 1;
  // The most work-groups for a matrix, if each may compute several tiles; 0: one for each tile. It does not
  // apply to slices along k.
  std::size_t most_groups = 0;

  bool has(ProgramRole role) const { return programs[role] != nullptr; }

  // Returns whether the GEMM kernel or `reduce` adds up slices along k.
  bool adds_slices() const { return split.arrivals != 0 || has(ProgramRole::reduce); }
  const KernelConfig& gemm() const { return *programs[ProgramRole::gemm]; }
};

// Returns the offset at which the GEMM kernel of a stage writes, in a word for each product of a block of
// `batch_count`, whether the product is done. It is directly behind the notes. A smaller block has fewer
// notes.
inline std::size_t done_offset(const Stage& stage, std::size_t batch_count) {
  const auto copies = [batch_count](const PackedCopy& copy) { return copy.stride == 0 ? 1 : batch_count; };
  const std::size_t groups = copies(stage.a) * stage.notes.a_groups + copies(stage.b) * stage.notes.b_groups;
  return stage.notes.scratch_offset + stage.notes.words * groups;
}

struct Plan {
  Problem problem;  // as_planned(), as the kernels see it, because each call has its own factors and offsets
  Config config;    // the config that was asked for

  // The stages are launched one after the other; there is at least one. Each stage except the last may find
  // on the device, from the notes of its packing, that it cannot do the work. Each stage except the first
  // does the work that the stage before left, and ends at once if nothing is left.
  std::vector<Stage> stages;

  // A problem is computed in blocks of at most this size. There is one block if that is the size of the
  // problem. All stages compute a block before the next block begins.
  std::size_t block_m = 0;
  std::size_t block_n = 0;
  std::size_t block_k = 0;
  std::size_t block_batch = 1;

  std::size_t compute_units = 1;  // cores of the device: this many work-groups run at once
  std::size_t scratch_bytes = 0;  // for the packed copies, the notes and the slices' results of one block

  // Words that tell work-groups that they are the last of a tile. They are zero before and after each launch.
  std::size_t arrivals() const {
    std::size_t most = 0;
    for (const Stage& stage : stages) most = std::max(most, stage.split.arrivals);
    return most;
  }

  const Stage& first() const { return stages.front(); }
};

// Returns the plan without the stages behind the first.
Plan first_stage_of(const Plan& plan);

// Calls body(number of the stage, role) for each program of the plan, stage by stage, in the order of the
// roles.
template <class Body>
void for_each_program(const Plan& plan, const Body& body) {
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    for (const ProgramRoleFacts& facts : program_roles) {
      if (plan.stages[stage].has(facts.role)) body(stage, facts.role);
    }
  }
}

// Describes the plan in words, one fact a line: kernel, parameters, how it gets A and B, pads, blocks,
// split-K and scratch.
std::string describe(const Plan& plan);

}  // namespace clgemm
