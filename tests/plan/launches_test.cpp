// The launches of a plan's blocks, without a device: the list of launches, their reads and writes, and which
// of them wait.
#include "plan/launches.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;
using Memory = MemorySpan::Memory;

// Returns the launches of the block that begins there and is as large as possible.
std::vector<Launch> launches_at(const Plan& plan, std::size_t row, std::size_t column,
                                std::size_t depth = 0) {
  const Problem& problem = plan.problem;
  const GemmSize size{std::min(plan.block_m, problem.m - row), std::min(plan.block_n, problem.n - column),
                      std::min(plan.block_k, problem.k - depth)};
  return launches_of(plan, {size, row, column, depth, 0, plan.block_batch});
}

std::vector<ProgramRole> roles_of(const std::vector<Launch>& launches) {
  std::vector<ProgramRole> result;
  for (const Launch& launch : launches) result.push_back(launch.role);
  return result;
}

using Roles = std::vector<ProgramRole>;

TEST_CASE("a padded kernel reads the packed copies, which are next to each other") {
  Planner make;
  const Plan plan = make(tight(100, 200, 300), "tiled");  // 16 x 16 x 16
  const auto launches = launches_at(plan, 0, 0);
  REQUIRE(roles_of(launches) == Roles{ProgramRole::pack_a, ProgramRole::pack_b, ProgramRole::gemm});
  const Launch &pack_a = launches[0], &pack_b = launches[1], &gemm = launches[2];
  CHECK(pack_a.waits);
  CHECK_FALSE(pack_b.waits);
  CHECK(gemm.waits);
  CHECK(pack_a.a.memory == Memory::a);
  CHECK(pack_b.a.memory == Memory::b);
  CHECK(gemm.a.memory == Memory::scratch);
  CHECK(gemm.a.first == pack_a.c.first);
  CHECK(gemm.b.first == pack_b.c.first);
  CHECK(gemm.a.ld == 304);
  CHECK(gemm.k == 304);
  CHECK(gemm.depth == 304);
  CHECK(gemm.size.groups() == 7 * 13);
  CHECK(gemm.writes_c());
  CHECK_FALSE(pack_a.writes_c());
}

TEST_CASE(
    "A is packed once for a row of blocks, and results are added to C from the second block along k on") {
  Planner make;
  const Plan plan = make(tight(500, 700, 2000), "tiled", 1 << 18);
  REQUIRE(plan.block_m < 500);
  REQUIRE(plan.block_n < 700);
  REQUIRE(plan.block_k < 2000);
  const Roles all{ProgramRole::pack_a, ProgramRole::pack_b, ProgramRole::gemm};
  CHECK(roles_of(launches_at(plan, 0, 0)) == all);
  CHECK(roles_of(launches_at(plan, plan.block_m, 0)) == all);
  const auto second = launches_at(plan, 0, plan.block_n);
  CHECK(roles_of(second) == Roles{ProgramRole::pack_b, ProgramRole::gemm});
  CHECK(second.front().waits);
  CHECK(second.front().a.first == plan.block_n);
  CHECK(second.back().a.first == plan.first().a.scratch_offset);
  CHECK(second.back().c.first == plan.block_n);
  CHECK(second.back().factors == Factors::of_call);
  // Two stages pack to the same memory, so each needs its A again.
  Plan staged = plan;
  staged.stages.push_back(plan.first());
  CHECK(roles_of(launches_at(staged, 0, plan.block_n)).size() == 2 * all.size());
  const auto deeper = launches_at(plan, plan.block_m, 0, plan.block_k);
  CHECK(deeper.front().a.first == plan.block_m * 2000 + plan.block_k);
  CHECK(deeper.back().factors == Factors::adding);
}

TEST_CASE("slices are written to scratch memory, one after another, and one launch adds them up") {
  Planner make;
  Problem problem = tight(8, 12, 1000);
  problem.a = {true, 8, 0, 0, 32};
  const Plan plan = make(problem, Config{"coalesced", {{split_parameter, 3}}});
  const auto launches = launches_at(plan, 0, 0);
  REQUIRE(roles_of(launches) == Roles{ProgramRole::gemm, ProgramRole::gemm, ProgramRole::reduce});
  const Launch &whole = launches[0], &rest = launches[1], &reduce = launches[2];
  const SplitPlan& split = plan.first().split;
  CHECK(whole.k == split.depth);
  CHECK(rest.k == 1000 - 2 * split.depth);
  CHECK(whole.batch_count == 2);
  CHECK(whole.a.stride == split.depth * 8);  // A is transposed, with lines of m elements
  CHECK(whole.b.stride == split.depth * 12);
  CHECK(rest.a.first == 2 * split.depth * 8);
  CHECK(rest.c.first == split.scratch_offset + 2 * split.stride);
  CHECK_FALSE(rest.waits);
  CHECK(reduce.waits);
  CHECK(reduce.slices == 3);
  CHECK(whole.factors == Factors::alone);
  CHECK_FALSE(whole.writes_c());
  CHECK(reduce.writes_c());
}

TEST_CASE("a kernel that adds up its slices needs one launch") {
  Planner make{made_up_h200()};
  const Plan plan = make(tight(64, 64, 65536), Config{"direct", {{split_parameter, 16}}});
  const auto launches = launches_at(plan, 0, 0);
  REQUIRE(roles_of(launches) == Roles{ProgramRole::gemm});
  CHECK(launches[0].k == 65536);
  CHECK(launches[0].depth == 65536 / 16);
  CHECK(launches[0].slices == 16);
  CHECK(launches[0].size.layers == 16);
  CHECK(launches[0].writes_c());
}

TEST_CASE("a launch has at most so many work-groups as the kernel's key says, but not for slices") {
  Planner make{made_up_h200()};
  const auto most_groups = [&make](const Problem& problem, Parameters parameters) {
    const Plan plan = make(problem, Config{"fp16x3_wgmma", std::move(parameters)});
    for (const Launch& launch : launches_at(plan, 0, 0)) {
      if (launch.stage == 0 && launch.role == ProgramRole::gemm) {
        CHECK(launch.size.groups() >= 1024);
        return launch.size.most_groups;
      }
    }
    return std::size_t{1};
  };
  CHECK(most_groups(tight(4096, 4096, 512), {}) == 132);
  CHECK(most_groups(tight(4096, 4096, 512), {{"TILE_M", 64}, {"TILE_N", 64}, {"SLICES", 2}, {"STAGES", 8}}) ==
        0);
  // For each matrix of a batch. 132 work-groups run at a time.
  CHECK(most_groups(tight_batch(64, 512, 512, 256), {}) == 2);    // 8 tiles each, in one go
  CHECK(most_groups(tight_batch(76, 512, 512, 64), {}) == 3);     // 6 or 5 tiles each, in two goes
  CHECK(most_groups(tight_batch(2, 4096, 4096, 128), {}) == 66);  // 16 or 15 tiles each, in one go
  CHECK(most_groups(tight_batch(64, 512, 512, 1024), {}) == 16);  // one tile each: to begin takes no time
}

TEST_CASE("the work-groups of slices along k are not limited, with either way to add them up") {
  const std::string manifest =
      "// summary: s\n// operands: in_place\n// persistent: 1\n// tile: 4 4 1\n// local: 16\n// grid: "
      "tiles\n";
  const TemporaryFolder folder;
  folder.write("apart.cl", "// clgemm: apart\n" + manifest);
  folder.write("within.cl", "// clgemm: within\n// adds_parts: 1\n" + manifest);
  Planner make{made_up_h200(), folder.path().string()};
  for (const char* kernel : {"apart", "within"}) {
    for (const std::int64_t slices : {1, 3}) {
      const Plan plan = make(tight(80, 80, 1000), Config{kernel, {{split_parameter, slices}}});
      for (const Launch& launch : launches_at(plan, 0, 0)) {
        INFO(kernel << ", " << slices);
        CHECK(launch.size.most_groups == (slices == 1 ? 132 : 0));
      }
    }
  }
}

TEST_CASE("every stage has its launches, one stage after another") {
  const TemporaryFolder folder;
  folder.write("chain.cl", chain_of_three("chain"));
  Planner make{made_up_hopper(), folder.path().string()};
  const auto launches = launches_at(make(tight(1000, 700, 900), "chain"), 0, 0);
  CHECK(roles_of(launches) == Roles{ProgramRole::pack_both, ProgramRole::gemm, ProgramRole::pack_both,
                                    ProgramRole::gemm, ProgramRole::gemm});
  const std::size_t stages[] = {0, 0, 1, 1, 2};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    CHECK(launches[i].stage == stages[i]);
    CHECK(launches[i].waits);
  }
}

TEST_CASE("random problems: the blocks cover the problem, and each element of C for every value of k once") {
  std::mt19937 random(11);
  const auto below = [&random](std::size_t bound) { return 1 + static_cast<std::size_t>(random()) % bound; };
  for (int i = 0; i < 50; ++i) {
    Problem problem = tight(below(20), below(20), below(20));
    problem.batch_count = below(4);
    std::vector<int> done(problem.batch_count * problem.m * problem.n * problem.k);
    Block last;
    for_each_block(problem, {{below(25), below(25), below(25)}, 0, 0, 0, 0, below(5)}, [&](const Block& one) {
      for (std::size_t batch = one.batch; batch < one.batch + one.batch_count; ++batch)
        for (std::size_t row = one.row; row < one.row + one.m; ++row)
          for (std::size_t column = one.column; column < one.column + one.n; ++column)
            for (std::size_t depth = one.depth; depth < one.depth + one.k; ++depth)
              ++done.at(((batch * problem.m + row) * problem.n + column) * problem.k + depth);
      last = one;
    });
    CHECK(std::count(done.begin(), done.end(), 1) == static_cast<std::ptrdiff_t>(done.size()));
    CHECK(is_last(last, problem));
  }
}

}  // namespace
}  // namespace clgemm
