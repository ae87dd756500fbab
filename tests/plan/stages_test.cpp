// The chain of kernels in a plan: the contents of each stage, and how the stages use the scratch memory
// together.
#include "plan/make_plan.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/sizes.hpp"
#include "plan/blocks.hpp"
#include "support/made_up.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::TemporaryFolder;

constexpr std::size_t limit = std::size_t{1} << 31;
using Programs = std::vector<std::pair<std::size_t, ProgramRole>>;

Problem problem_of(std::size_t m, std::size_t n, std::size_t k) {
  Problem problem{{m, n, k}, 1, 0, {}, {}, {}, 1};
  problem.a = {true, m, 0, 0, 32};
  problem.b = {false, n, 0, 0, 32};
  problem.c = {false, n, 0, 0, 32};
  return problem;
}

struct Planner {
  Device device = test::made_up_hopper();
  std::string folder{};  // is searched for kernels before the built-in ones
  ConfigCache configs{device, folder};

  Plan operator()(const std::string& kernel, const Problem& problem = problem_of(1000, 700, 900)) {
    return (*this)(Config{kernel, {}}, problem);
  }
  Plan operator()(const Config& config, const Problem& problem) {
    return make_plan(problem, config, configs, limit);
  }
};

Programs programs_of(const Plan& plan) {
  Programs result;
  for_each_program(plan, [&result](std::size_t stage, ProgramRole role) { result.push_back({stage, role}); });
  return result;
}

// Returns the offset of the first words of scratch after the stage's copies and notes.
std::size_t end_of_copies(const Plan& plan, const Stage& stage) {
  const KernelConfig& kernel = stage.gemm();
  return stage.b.scratch_offset + packed_size(*stage.programs[ProgramRole::pack_both],
                                              round_up(plan.block_n, kernel.tile_columns),
                                              round_up(plan.block_k, kernel.tile_depth));
}

std::size_t end_of_notes(const Plan& plan, const Stage& stage) {
  const std::size_t words = stage.programs[ProgramRole::pack_both]->manifest().range_notes;
  return stage.notes.scratch_offset + words * (stage.notes.a_groups + stage.notes.b_groups) +
         plan.block_batch;
}

TEST_CASE("a single kernel is a plan of one stage, with the helpers that it needs") {
  Planner make;
  CHECK(programs_of(make("block_2d", problem_of(4096, 4096, 4096))) ==
        Programs{{0, ProgramRole::gemm}, {0, ProgramRole::pack_a}});
  CHECK(programs_of(make(Config{"coalesced", {{split_parameter, 4}}}, problem_of(8, 8, 65536))) ==
        Programs{{0, ProgramRole::gemm}, {0, ProgramRole::reduce}});
}

TEST_CASE("a kernel with a fallback is the first of two stages") {
  Planner make;
  const Plan plan = make("bf16x6_mma");
  CHECK(programs_of(plan) ==
        Programs{{0, ProgramRole::gemm}, {0, ProgramRole::pack_both}, {1, ProgramRole::gemm}});
  const Stage& behind = plan.stages[1];
  CHECK(behind.gemm().name == "fallback_fp32");
  CHECK(behind.gemm().reads_in_place());
  CHECK(behind.gemm().macros == Parameters{{"TRANSPOSE_A", 1}, {"TRANSPOSE_B", 0}});
  CHECK(behind.split.slices == 1);
  CHECK(test::contains(describe(plan), "fallback: fallback_fp32"));
}

// Its tiles are as large as the first kernel's, so it has as many work-groups.
TEST_CASE("a fallback has the parameters that follow from those of the first kernel") {
  Planner make;
  const auto behind = [&make](const Parameters& parameters) {
    const Plan plan = make(Config{"fp16x3_wgmma", parameters}, problem_of(1000, 700, 900));
    REQUIRE(plan.stages.size() == 2);
    const KernelConfig& kernel = plan.stages[1].gemm();
    CHECK(kernel.name == "fallback_tf32x3");
    return std::array{kernel.tile_rows, kernel.tile_columns, kernel.tile_depth};
  };
  CHECK(behind({{"TILE_M", 128}, {"TILE_N", 128}}) == std::array<std::size_t, 3>{128, 128, 32});
  CHECK(behind({{"TILE_M", 128}, {"TILE_N", 64}}) == std::array<std::size_t, 3>{128, 64, 32});
  CHECK(behind({{"TILE_M", 64}, {"TILE_N", 128}, {"STAGES", 4}}) == std::array<std::size_t, 3>{128, 64, 32});
  CHECK(behind({{"TILE_M", 64}, {"TILE_N", 64}}) == std::array<std::size_t, 3>{64, 64, 64});
}

TEST_CASE("products of fp16 planes by mma.sync fall back to plain fp32") {
  Planner make;
  const auto kernel = GENERATE("fp16x3_mma", "fp16x3_mma_k8");
  const Plan plan = make(kernel);
  REQUIRE(plan.stages.size() == 2);
  CHECK(plan.stages[1].gemm().name == "fallback_fp32");
}

TEST_CASE("the kernel that packs has the parameters that the kernel asks for") {
  Device device = test::made_up_cdna();
  device.max_work_group_size = 256;
  ConfigCache configs(device, {});
  const Plan plan = make_plan(problem_of(1000, 700, 900), {"fp16x3_mfma", {}}, configs, limit);
  CHECK(plan.first().programs[ProgramRole::pack_both]->local == std::vector<std::size_t>{256});
  CHECK(plan.stages.size() == 2);
  Planner make;
  CHECK(make("fp16x3_mma").first().programs[ProgramRole::pack_both]->local == std::vector<std::size_t>{512});
}

TEST_CASE("a plan holds the problem as its kernels see it") {
  Planner make;
  Problem row = problem_of(1, 1000, 300);
  row.a.transposed = false;
  row.a.ld = 300;
  const Plan plan = make_plan(row, {"coalesced", {}, true}, make.configs, limit);
  CHECK(plan.problem == as_planned(transposed_problem(row)));
  CHECK(plan.block_m == 1000);
  CHECK(make("coalesced", row).problem == as_planned(row));
}

// A chain of three kernels: planes, other planes, and a kernel that reads operands in place.
TEST_CASE(
    "in a longer chain, the copies of all stages share their memory, and the notes of each stage stay") {
  const TemporaryFolder folder;
  folder.write("chain.cl", test::chain_of_three("chain"));
  Planner make{test::made_up_hopper(), folder.path().string()};
  for (const std::size_t batch_count : {1U, 3U}) {
    Problem problem = problem_of(1000, 700, 900);
    problem.batch_count = batch_count;
    problem.a.stride = 1000 * 900;
    const std::size_t bytes_of_two = make("bf16x6_mma", problem).scratch_bytes;
    const Plan plan = make("chain", problem);

    REQUIRE(plan.stages.size() == 3);
    CHECK(programs_of(plan) == Programs{{0, ProgramRole::gemm},
                                        {0, ProgramRole::pack_both},
                                        {1, ProgramRole::gemm},
                                        {1, ProgramRole::pack_both},
                                        {2, ProgramRole::gemm}});
    CHECK(plan.stages[1].gemm().name == "bf16x6_mma");
    CHECK(plan.stages[2].gemm().name == "fallback_fp32");
    const Stage& first = plan.stages[0];
    const Stage& second = plan.stages[1];
    CHECK(first.a.scratch_offset == second.a.scratch_offset);
    for (const Stage* stage : {&first, &second}) {
      CHECK(stage->a.scratch_offset < stage->b.scratch_offset);
      CHECK(end_of_copies(plan, *stage) <= first.notes.scratch_offset);
      CHECK(end_of_copies(plan, *stage) <= second.notes.scratch_offset);
    }
    CHECK(end_of_notes(plan, first) <= second.notes.scratch_offset);
    for (const Stage* stage : {&first, &second})
      CHECK(done_offset(*stage, batch_count) + batch_count >= end_of_notes(plan, *stage));
    CHECK(done_offset(first, batch_count) + batch_count <= second.notes.scratch_offset);
    CHECK((done_offset(second, batch_count) + batch_count) * sizeof(float) <= plan.scratch_bytes);
    CHECK(end_of_notes(plan, second) * sizeof(float) <= plan.scratch_bytes);
    CHECK(plan.scratch_bytes > bytes_of_two);
    // Only the notes are added, not other copies.
    CHECK(plan.scratch_bytes < bytes_of_two + bytes_of_two / 8);
  }
}

TEST_CASE("a kernel that is its own fallback is refused, directly or through others") {
  const TemporaryFolder folder;
  const auto write = [&folder](const std::string& name, const std::string& fallback) {
    folder.write(name + ".cl", "// clgemm: " + name +
                                   "\n// summary: s\n// operands: bf16_planes\n// fallback: " + fallback +
                                   "\n// tile: 64 64 16\n// local: 64\n// grid: tiles\n");
  };
  write("alone", "alone");
  write("left", "right");
  write("right", "left");
  const Device device = test::made_up_hopper();
  ConfigCache configs(device, folder.path().string());
  const auto plan = [&](const char* kernel) {
    make_plan(problem_of(64, 64, 64), {kernel, {}}, configs, limit);
  };
  CHECK_ERROR([&] { plan("alone"); }, invalid_kernel_file, "is its own fallback: alone -> alone");
  CHECK_ERROR([&] { plan("left"); }, invalid_kernel_file, "left -> right -> left");
}

TEST_CASE("blocks are cut until the copies of every stage fit") {
  Planner make;
  const Problem problem = problem_of(2000, 2000, 2000);
  Plan plan = make("bf16x6_mma", problem);
  const std::size_t all = plan.scratch_bytes;
  plan.stages.insert(plan.stages.begin(), plan.first());
  plan.stages.front().programs[ProgramRole::gemm] =
      make("coalesced", problem).stages[0].programs[ProgramRole::gemm];
  plan.stages.front().programs[ProgramRole::pack_both] = nullptr;  // the first stage packs nothing
  fit_blocks(plan, all / 3);
  CHECK(plan.scratch_bytes <= all / 3);
  CHECK(plan.block_m * plan.block_n * plan.block_k < problem.m * problem.n * problem.k);
}

}  // namespace
}  // namespace clgemm
