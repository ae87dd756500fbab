// The shares of C that work-groups take, and that they keep a device busy.
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
  const KernelConfig& kernel = *make.configs.get("panels", {}, {});
  REQUIRE(kernel.tile_rows % kernel.share_rows != 0);
  const Plan plan = make(tight(kernel.tile_rows * max_groups_beyond_first, 1, 1), "panels");
  CHECK(ceil_div(plan.block_m, plan.first().group_rows) <= max_groups_beyond_first);
}

TEST_CASE("shares keep every compute unit busy to the end") {
  for (const std::size_t units : {1u, 2u, 3u, 8u, 12u, 64u, 128u}) {
    Device device = made_up_cpu();
    device.compute_units = units;
    Planner make{device};
    for (const Problem& problem : {tight(1024, 1024, 1024), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(4097, 1031, 77), tight(200, 5000, 300), tight(5000, 200, 300)}) {
      INFO(fmt::format("{} units: {} x {} x {}", units, problem.m, problem.n, problem.k));
      const Plan plan =
          make(problem,
               rank_candidates(problem, make.configs, shipped_tuning(), no_limit).candidates.front().config);
      check_plan(plan, problem, no_limit);
      const std::size_t count =
          ceil_div(problem.m, plan.first().group_rows) * ceil_div(problem.n, plan.first().group_columns);
      const std::size_t turns = ceil_div(count, units);
      const double busiest =
          static_cast<double>(turns * plan.first().group_rows * plan.first().group_columns * units);
      const double all = static_cast<double>(problem.m * problem.n);
      CHECK(busiest / all < 1.25);
    }
  }
}

}  // namespace
}  // namespace clgemm
