// The plan of one multiply: plain data, made without any OpenCL call, that launch/ carries out to the letter.
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

// What a program does in a stage of a plan, in the order in which the self-test finds fault with them: the
// multiply by itself, then each of its helpers with what was found right before.
enum class ProgramRole { multiply, pack_a, pack_b, pack_both, reduce };

struct ProgramRoleFacts {
  ProgramRole role;
  const char* makes;     // as explain() calls what comes of it
  bool can_be_left_out;  // the multiply can be tried without it, on operands that fit as they lie
};
inline constexpr std::array<ProgramRoleFacts, 5> program_roles = {{
    {ProgramRole::multiply, "kernel", false},
    {ProgramRole::pack_a, "op(A)", true},
    {ProgramRole::pack_b, "op(B)", true},
    {ProgramRole::pack_both, "op(A), op(B)", false},  // the form of its copies is all that the multiply reads
    {ProgramRole::reduce, "split of k", true},
}};

constexpr const ProgramRoleFacts& facts_of(ProgramRole role) {
  return program_roles[static_cast<std::size_t>(role)];
}

// Something for each role.
template <class T>
class ByRole {
 public:
  T& operator[](ProgramRole role) { return all_[static_cast<std::size_t>(role)]; }
  const T& operator[](ProgramRole role) const { return all_[static_cast<std::size_t>(role)]; }

 private:
  std::array<T, program_roles.size()> all_{};
};

// Where the packed copy of an operand lies, in a stage that packs it.
struct PackedCopy {
  std::size_t ld = 0;              // in elements
  std::size_t elements = 0;        // of one packed copy of a whole block
  std::size_t stride = 0;          // from one packed copy of a batch to the next; 0: one copy for all
  std::size_t scratch_offset = 0;  // of the first packed copy, in elements
};

// What the work-groups of a stage's `pack_both` leave, A's and then B's, of the numbers that they saw. By
// these the device decides, without the host, whether the stage's multiply can do the work.
struct RangeNotes {
  std::size_t a_groups = 0;  // work-groups, for each copy of A
  std::size_t b_groups = 0;
  std::size_t words = 0;           // that a work-group leaves
  std::size_t scratch_offset = 0;  // of the first, in words
};

// k in parts, where C has too few tiles: the parts' results go to scratch, and the multiply adds them into C,
// or `reduce` does.
struct SplitPlan {
  std::size_t wanted_parts = 1;    // at most
  std::size_t parts = 1;           // of a whole block
  std::size_t depth = 0;           // of each part but the last, which has the rest
  std::size_t ld = 0;              // of a part's result, in elements
  std::size_t stride = 0;          // from one part's result to the next
  std::size_t scratch_offset = 0;  // of the first part's result, in elements
  std::size_t arrivals =
      0;  // tiles of C whose parts the multiply counts and adds up itself; 0: `reduce` does
};

// All of a problem that its plan depends on, and nothing that prepare() and explain() do not know: without
// its factors, and without where C begins. Of other offsets and of strides only the alignment counts, so that
// all blocks of a large matrix are one problem.
Problem as_planned(const Problem& problem);

// The problem as the kernels of the config see it.
inline Problem seen_by(const Config& config, const Problem& problem) {
  return config.mirrored ? mirrored(problem) : problem;
}

// One multiply with what packs for it and adds up its parts.
struct Stage {
  ByRole<SharedConfig> programs;  // null: the stage has none
  PackedCopy a;
  PackedCopy b;
  RangeNotes notes;
  SplitPlan split;

  // The part of C that one work-group computes: the kernel's tile, or less where it takes shares.
  std::size_t group_rows = 1;
  std::size_t group_columns = 1;

  bool has(ProgramRole role) const { return programs[role] != nullptr; }

  // Whether somebody adds up parts of k: the multiply itself, or `reduce`.
  bool adds_parts() const { return split.arrivals != 0 || has(ProgramRole::reduce); }
  const KernelConfig& multiply() const { return *programs[ProgramRole::multiply]; }
};

// Where the multiply of a stage leaves, a word for each product of a block of `batch_count`, whether it is
// done: right behind the notes, of which a smaller block has fewer.
inline std::size_t done_offset(const Stage& stage, std::size_t batch_count) {
  const auto copies = [batch_count](const PackedCopy& copy) { return copy.stride == 0 ? 1 : batch_count; };
  const std::size_t groups = copies(stage.a) * stage.notes.a_groups + copies(stage.b) * stage.notes.b_groups;
  return stage.notes.scratch_offset + stage.notes.words * groups;
}

struct Plan {
  Problem problem;  // as_planned(), as the kernels see it: calls have their own factors and offsets
  Config config;    // what was asked for

  // Launched behind each other, at least one. Each but the last may find on the device, by the notes of its
  // packing, that it cannot do the work; each but the first does what the one before has left, and ends at
  // once where it has left nothing.
  std::vector<Stage> stages;

  // A problem is done in blocks of at most this size; one block where that is the problem's own size. All
  // stages do a block before the next one begins.
  std::size_t block_m = 0;
  std::size_t block_n = 0;
  std::size_t block_k = 0;
  std::size_t block_batch = 1;

  std::size_t compute_units = 1;  // cores of the device: that many work-groups run at once
  std::size_t scratch_bytes = 0;  // for the packed copies, the notes and the parts' results of one block

  // Words, zero before and after each launch, by which work-groups know that they are the last of a tile.
  std::size_t arrivals() const {
    std::size_t most = 0;
    for (const Stage& stage : stages) most = std::max(most, stage.split.arrivals);
    return most;
  }

  const Stage& first() const { return stages.front(); }
};

// Calls body(stage's number, role) for each program of the plan, stage by stage, in the order of the roles.
template <class Body>
void for_each_program(const Plan& plan, const Body& body) {
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    for (const ProgramRoleFacts& facts : program_roles) {
      if (plan.stages[stage].has(facts.role)) body(stage, facts.role);
    }
  }
}

// The plan in words, a line a fact: kernel, parameters, how it gets A and B, pads, blocks, the split of k,
// scratch.
std::string describe(const Plan& plan);

}  // namespace clgemm
