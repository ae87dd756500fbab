// Plans of a kernel that reads one operand in place and the other one in planes: A with SWAP=0, B with
// SWAP=1. Only the other one has a copy in scratch.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/sizes.hpp"
#include "plan/blocks.hpp"
#include "plan/k_split.hpp"
#include "plan/launches.hpp"
#include "plan/make_plan.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;
using Memory = MemorySpan::Memory;
using Roles = std::vector<ProgramRole>;

constexpr std::size_t step = 32;  // the depth of the kernel's tile

Config one_packed(std::int64_t swap, std::int64_t slices = 0) {
  return {"fp16x3_one_packed", {{"SWAP", swap}, {split_parameter, slices}}};
}

// Returns the copy of the operand that is in place, or of the packed one.
const PackedCopy& kept_copy(const Stage& stage) {
  return stage.gemm().keeps_a ? stage.a : stage.b;
}
const PackedCopy& packed_copy(const Stage& stage) {
  return stage.gemm().keeps_a ? stage.b : stage.a;
}

const MemorySpan& kept_span(const Launch& launch, std::int64_t swap) {
  return swap == 0 ? launch.a : launch.b;
}
const MemorySpan& packed_span(const Launch& launch, std::int64_t swap) {
  return swap == 0 ? launch.b : launch.a;
}

std::size_t packed_lines(const Plan& plan) {
  const KernelConfig& kernel = plan.first().gemm();
  return kernel.keeps_a ? round_up(plan.block_n, kernel.tile_columns)
                        : round_up(plan.block_m, kernel.tile_rows);
}

// Returns the words of scratch of the packed operand's copies.
std::size_t packed_words(const Plan& plan) {
  return packed_size(*plan.first().programs[ProgramRole::pack_both], packed_lines(plan),
                     round_up(plan.block_k, step));
}

std::vector<Launch> launches_at(const Plan& plan, std::size_t row, std::size_t column, std::size_t depth,
                                std::size_t batch = 0) {
  const Problem& problem = plan.problem;
  const GemmSize size{std::min(plan.block_m, problem.m - row), std::min(plan.block_n, problem.n - column),
                      std::min(plan.block_k, problem.k - depth)};
  return launches_of(plan, {size, row, column, depth, batch, plan.block_batch});
}

Roles roles_of(const std::vector<Launch>& launches) {
  Roles result;
  for (const Launch& launch : launches) result.push_back(launch.role);
  return result;
}

const Roles all_roles{ProgramRole::pack_both, ProgramRole::gemm, ProgramRole::gemm};

TEST_CASE("one operand in place: scratch has the copy and the notes of the other one alone") {
  Planner make{made_up_h200()};
  for (const std::int64_t swap : {0, 1}) {
    const Problem problem = tight(1000, 700, 901);
    const Plan plan = make(problem, one_packed(swap));
    check_plan(plan, problem, no_limit);
    REQUIRE(plan.stages.size() == 2);
    const Stage& stage = plan.first();
    REQUIRE(stage.gemm().tile_depth == step);
    CHECK(stage.gemm().keeps_a == (swap == 0));
    CHECK(stage.gemm().keeps_b == (swap == 1));
    const RangeNotes& notes = stage.notes;
    CHECK(std::min(notes.a_groups, notes.b_groups) == 0);
    CHECK((notes.a_groups == 0) == (swap == 0));
    CHECK(kept_copy(stage).elements == 0);
    CHECK(packed_copy(stage).elements == packed_words(plan));
    CHECK(packed_copy(stage).scratch_offset == 0);
    CHECK(notes.scratch_offset == round_up(packed_words(plan), cache_line));
    const std::size_t words = notes.words * (notes.a_groups + notes.b_groups);
    CHECK(done_offset(stage, 1) == notes.scratch_offset + words);
    CHECK(plan.scratch_bytes == sizeof(float) * (notes.scratch_offset + round_up(words + 1, cache_line)));
    const Stage& behind = plan.stages[1];
    CHECK(behind.gemm().manifest().role == Role::fallback);
    CHECK(behind.gemm().reads_in_place());
  }
}

TEST_CASE("one operand in place: a kernel knows the transpose of that operand, and its fallback knows both") {
  Planner make{made_up_h200()};
  for (const std::int64_t swap : {0, 1}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        Problem problem = tight(1000, 700, 901);
        problem.a.transposed = transpose_a;
        problem.b.transposed = transpose_b;
        if (transpose_a) problem.a.ld = 1000;
        if (transpose_b) problem.b.ld = 901;
        const Plan plan = make(problem, one_packed(swap));
        // Only k is no multiple of 4.
        const Parameters of_a{{"TRANSPOSE_A", transpose_a ? 1 : 0}, {"ALIGNED_A", transpose_a ? 1 : 0}};
        const Parameters of_b{{"TRANSPOSE_B", transpose_b ? 1 : 0}, {"ALIGNED_B", transpose_b ? 0 : 1}};
        CHECK(plan.first().gemm().macros == (swap == 0 ? of_a : of_b));
        const std::string& options = plan.first().gemm().build_options;
        CHECK(contains(options, "-DTRANSPOSE_A=") == (swap == 0));
        CHECK(contains(options, "-DTRANSPOSE_B=") == (swap == 1));
        CHECK(plan.stages[1].gemm().macros ==
              Parameters{{"TRANSPOSE_A", transpose_a ? 1 : 0}, {"TRANSPOSE_B", transpose_b ? 1 : 0}});
        CHECK(plan.first().programs[ProgramRole::pack_both]->macros.empty());
      }
    }
  }
}

TEST_CASE("one operand in place: the description names the packed operand") {
  Planner make{made_up_h200()};
  const auto text = [&make](std::int64_t swap) {
    return describe(make(tight(1000, 700, 901), one_packed(swap)));
  };
  CHECK(contains(text(0), "op(A): used in place\nop(B): packed by pack_both_fp16_planes\n"));
  CHECK(contains(text(1), "op(A): packed by pack_both_fp16_planes\nop(B): used in place\n"));
  CHECK(contains(describe(make(tight(1000, 700, 901), "fp16x3_wgmma")),
                 "op(A), op(B): packed by pack_both_fp16_planes\n"));
}

TEST_CASE("one operand in place: the GEMM reads it at the caller's addresses, and walks the true k") {
  Planner make{made_up_h200()};
  for (const std::int64_t swap : {0, 1}) {
    Problem problem = tight(1000, 700, 901);
    problem.a.ld = 905;
    problem.b.ld = 703;
    const Plan plan = make(problem, one_packed(swap));
    const auto launches = launches_at(plan, 0, 0, 0);
    REQUIRE(roles_of(launches) == all_roles);
    const Launch &pack = launches[0], &gemm = launches[1], &fallback = launches[2];
    CHECK(pack.size.groups() == plan.first().notes.a_groups + plan.first().notes.b_groups);
    CHECK(pack.a.memory == Memory::a);
    CHECK(pack.b.memory == Memory::b);
    const double read = static_cast<double>(packed_lines(plan)) * static_cast<double>(round_up(901, step));
    CHECK(pack.moved == read + static_cast<double>(packed_words(plan)));
    CHECK(kept_span(gemm, swap).memory == (swap == 0 ? Memory::a : Memory::b));
    CHECK(kept_span(gemm, swap).first == 0);
    CHECK(kept_span(gemm, swap).ld == (swap == 0 ? 905 : 703));
    CHECK_FALSE(kept_span(gemm, swap).stride);                                     // as in the call's batch
    CHECK(packed_span(gemm, swap).memory == (swap == 0 ? Memory::b : Memory::a));  // beside the packed copy
    CHECK(packed_span(gemm, swap).ld == (swap == 0 ? 703 : 905));
    CHECK(gemm.m == 1000);
    CHECK(gemm.n == 700);
    CHECK(gemm.k == 901);
    CHECK(gemm.depth == 901);
    CHECK(gemm.slices == 1);
    CHECK(gemm.size.layers == 1);
    CHECK(gemm.writes_c());
    CHECK(gemm.factors == Factors::of_call);
    CHECK(fallback.stage == 1);
    CHECK(fallback.a.memory == Memory::a);
    CHECK(fallback.b.memory == Memory::b);
    CHECK(fallback.k == 901);
    for (const Launch& launch : launches) CHECK(launch.waits);
  }
}

TEST_CASE("one operand in place: a later block reads its own part of it") {
  Planner make{made_up_h200()};
  for (const std::int64_t swap : {0, 1}) {
    for (const bool transposed : {false, true}) {
      Problem problem = tight(1000, 700, 901);
      problem.a.transposed = problem.b.transposed = transposed;
      if (transposed) problem.a.ld = 1001;
      if (transposed) problem.b.ld = 905;
      const std::size_t limit = std::size_t{1} << 19;
      const Plan plan = make(problem, one_packed(swap), limit);
      check_plan(plan, problem, limit);
      REQUIRE(plan.block_k < problem.k);
      CHECK(plan.block_k % step == 0);
      const auto launches = launches_at(plan, 128, 256, plan.block_k);
      REQUIRE(roles_of(launches) == all_roles);
      const Operand& of_call = swap == 0 ? plan.problem.a : plan.problem.b;
      const std::size_t row = swap == 0 ? 128 : plan.block_k;
      const std::size_t column = swap == 0 ? plan.block_k : 256;
      const MemorySpan& kept = kept_span(launches[1], swap);
      CHECK(kept.first == (transposed ? column * of_call.ld + row : row * of_call.ld + column));
      CHECK(kept.ld == of_call.ld);
      CHECK(launches[1].k == std::min(plan.block_k, problem.k - plan.block_k));
      CHECK(launches[1].factors == Factors::adding);
    }
  }
}

TEST_CASE("one operand in place: a batch has a copy of each packed operand, or one if all share it") {
  Planner make{made_up_h200()};
  constexpr std::size_t count = 3;
  for (const std::int64_t swap : {0, 1}) {
    for (const bool one_kept : {false, true}) {
      for (const bool one_packed_copy : {false, true}) {
        Problem problem = tight_batch(count, 200, 300, 101);
        if (one_kept) (swap == 0 ? problem.a : problem.b).stride = 0;
        if (one_packed_copy) (swap == 0 ? problem.b : problem.a).stride = 0;
        const Plan plan = make(problem, one_packed(swap));
        const Stage& stage = plan.first();
        CHECK(plan.block_batch == count);
        const std::size_t copies = one_packed_copy ? 1 : count;
        const std::size_t size = round_up(packed_words(plan), cache_line);
        CHECK(packed_copy(stage).stride == (one_packed_copy ? 0 : size));
        CHECK(stage.notes.scratch_offset == copies * size);
        const std::size_t notes = copies * stage.notes.words * (stage.notes.a_groups + stage.notes.b_groups);
        CHECK(done_offset(stage, count) == stage.notes.scratch_offset + notes);
        CHECK((done_offset(stage, count) + count) * sizeof(float) <= plan.scratch_bytes);
        const auto launches = launches_at(plan, 0, 0, 0);
        REQUIRE(roles_of(launches) == all_roles);
        CHECK(launches[0].moved ==
              static_cast<double>(copies) * (static_cast<double>(packed_lines(plan) * round_up(101, step)) +
                                             static_cast<double>(packed_words(plan))));
        CHECK_FALSE(kept_span(launches[1], swap).stride);
        CHECK_FALSE(packed_span(launches[1], swap).stride);
        CHECK(launches[1].size.layers == count);
        CHECK(launches[1].k == 101);
      }
    }
  }
}

// Slices begin at whole steps of the packed copy, although k itself is not padded.
TEST_CASE("one operand in place: slices of k have whole steps, and the kernel adds them up") {
  Planner make{made_up_h200()};
  for (const std::int64_t swap : {0, 1}) {
    for (const std::size_t k : {33U, 901U, 4096U, 65537U}) {
      for (const std::int64_t wanted : {2, 3, 16}) {
        for (const std::size_t count : {1U, 3U}) {
          INFO("swap " << swap << ", k " << k << " in " << wanted << ", batch " << count);
          const Plan plan = make(tight_batch(count, 200, 300, k), one_packed(swap, wanted));
          const Stage& stage = plan.first();
          const SplitPlan& split = stage.split;
          CHECK(split.depth % step == 0);
          CHECK(split.slices > 1);
          CHECK(split.slices <= static_cast<std::size_t>(wanted));
          CHECK((split.slices - 1) * split.depth < k);
          CHECK(split.slices * split.depth >= k);
          CHECK(split.arrivals ==
                ceil_div(200, stage.gemm().tile_rows) * ceil_div(300, stage.gemm().tile_columns));
          CHECK(stage.adds_slices());
          CHECK_FALSE(stage.has(ProgramRole::reduce));
          CHECK(plan.block_batch == 1);
          // The results of the slices lie behind the copy and the notes.
          CHECK(split.scratch_offset > done_offset(stage, 1));
          CHECK((split.scratch_offset + split.slices * split.stride) * sizeof(float) == plan.scratch_bytes);
          CHECK(plan.stages[1].split.slices == 1);
          const auto launches = launches_at(plan, 0, 0, 0);
          REQUIRE(roles_of(launches) == all_roles);
          CHECK(launches[1].k == k);
          CHECK(launches[1].depth == split.depth);
          CHECK(launches[1].slices == split.slices);
          CHECK(launches[1].size.layers == split.slices);
          CHECK(launches[1].writes_c());
          CHECK(contains(describe(plan), "added up in the same launch"));
        }
      }
    }
    CHECK(make(tight(200, 300, 32), one_packed(swap, 8)).first().split.slices == 1);
  }
}

TEST_CASE("one operand in place: k is not split if C has more tiles than can be counted") {
  Planner make{made_up_h200()};
  constexpr std::size_t much = std::size_t{1} << 40;
  static_assert(most_arrivals == 128 * 128);
  for (const std::int64_t swap : {0, 1}) {
    const KernelConfig& kernel = *make.configs.get("fp16x3_one_packed", {{"SWAP", swap}});
    const auto plan_of = [&](std::size_t rows, std::size_t count) {
      return make(tight_batch(count, rows * kernel.tile_rows, 128 * kernel.tile_columns, 256),
                  one_packed(swap, 2), much);
    };
    const Plan split = plan_of(128, 1);
    CHECK(split.first().split.slices == 2);
    CHECK(split.first().split.arrivals == most_arrivals);
    const Plan whole = plan_of(129, 2);
    CHECK(whole.first().split.slices == 1);
    CHECK(whole.first().split.arrivals == 0);
    CHECK_FALSE(whole.first().has(ProgramRole::reduce));
    CHECK(whole.block_batch == 2);  // a batch stays together, too
    const auto launches = launches_at(whole, 0, 0, 0);
    REQUIRE(roles_of(launches) == all_roles);
    CHECK(launches[1].slices == 1);
    CHECK(launches[1].depth == 256);
  }
}

TEST_CASE("one operand in place: random problems, limits and slices make valid plans") {
  std::mt19937 random(20261127);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  Planner make{made_up_h200()};
  std::size_t splits = 0;
  for (int i = 0; i < 500; ++i) {
    const auto size = [&] { return 1 + below(std::size_t{1} << (1 + below(14))); };
    const Problem problem = tight_batch(1 + below(3), size(), size(), size());
    const auto slices = static_cast<std::int64_t>(1 + below(40));
    const auto swap = static_cast<std::int64_t>(below(2));
    const std::size_t limit = std::size_t{1} << (17 + below(12));
    INFO(problem.m << " x " << problem.n << " x " << problem.k << " in " << slices << ", swap " << swap
                   << ", limit " << limit);
    const Plan plan = make(problem, one_packed(swap, slices), limit);
    CHECK(plan.scratch_bytes <= limit);
    const SplitPlan& split = plan.first().split;
    CHECK_FALSE(plan.first().has(ProgramRole::reduce));
    if (split.slices > 1) ++splits;
    if (split.slices > 1) CHECK(split.depth % step == 0);
    for_each_block(problem, first_block(plan), [&](const Block& block) {
      CHECK(block.depth % step == 0);
      const auto launches = launches_of(plan, block);
      CHECK(roles_of(launches) == all_roles);
      CHECK(launches[1].k == block.k);
      CHECK(launches[1].slices <= split.slices);
      CHECK((launches[1].slices == 1 || split.arrivals != 0));
      CHECK(kept_span(launches[1], swap).memory != Memory::scratch);
    });
  }
  CHECK(splits > 100);
}

}  // namespace
}  // namespace clgemm
