// The shares of C that work-groups compute, and that they keep a device busy.
#include "plan/sharing.hpp"

#include <fmt/format.h>

#include "base/sizes.hpp"
#include "choose/ranking.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("the largest shares of a kernel are no more than a device can count") {
  Planner make{made_up_cpu()};
  const KernelConfig& kernel = *make.configs.get("panels", {});
  REQUIRE(kernel.tile_rows % kernel.share_rows != 0);
  const Plan plan = make(tight(kernel.tile_rows * max_groups_beyond_first, 1, 1), "panels");
  CHECK(ceil_div(plan.block_m, plan.first().group_rows) <= max_groups_beyond_first);
}

Problem batch_of(std::size_t count, Problem problem) {
  problem.batch_count = count;
  problem.a.stride = problem.m * problem.k;
  problem.b.stride = problem.k * problem.n;
  problem.c.stride = problem.m * problem.n;
  return problem;
}

TEST_CASE("shares keep every compute unit busy until the end") {
  for (const std::size_t units : {1u, 2u, 3u, 8u, 12u, 64u, 128u}) {
    Device device = made_up_cpu();
    device.compute_units = units;
    Planner make{device};
    for (const Problem& problem : {tight(1024, 1024, 1024), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(4097, 1031, 77), tight(200, 5000, 300), tight(5000, 200, 300),
                                   batch_of(64, tight(500, 400, 300)), batch_of(640, tight(64, 64, 64))}) {
      INFO(fmt::format("{} units: {} of {} x {} x {}", units, problem.batch_count, problem.m, problem.n,
                       problem.k));
      const Plan plan =
          make(problem,
               rank_candidates(problem, make.configs, shipped_tuning(), no_limit).candidates.front().config);
      check_plan(plan, problem, no_limit);
      const std::size_t count = ceil_div(problem.m, plan.first().group_rows) *
                                ceil_div(problem.n, plan.first().group_columns) * problem.batch_count;
      const std::size_t turns = ceil_div(count, units);
      const double busiest =
          static_cast<double>(turns * plan.first().group_rows * plan.first().group_columns * units);
      const double all = static_cast<double>(problem.m * problem.n * problem.batch_count);
      CHECK(busiest / all < 1.25);
    }
  }
}

TEST_CASE("no matrix is shared if a batch has a matrix for each compute unit") {
  for (const std::size_t units : {2u, 8u, 64u}) {
    const Share share = best_share({{250, 240, 300}, units, 1024, 256, 4, 16}, units);
    INFO(fmt::format("{} units: {} x {}", units, share.rows, share.columns));
    CHECK(share.rows >= 250);
    CHECK(share.columns >= 240);
  }
}

TEST_CASE("a batch that is larger than any memory is shared like a long one") {
  const auto share_of_batch = [](std::size_t count) {
    return best_share({{64, 256, 64}, count, 1024, 256, 4, 64}, 4);
  };
  const Share share = share_of_batch(std::size_t{1} << 62);
  CHECK(share.rows == share_of_batch(1'000'000).rows);
  CHECK(share.columns == share_of_batch(1'000'000).columns);
}

}  // namespace
}  // namespace clgemm
