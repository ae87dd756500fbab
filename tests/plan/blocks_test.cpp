// A problem is divided into blocks if the scratch memory or a kernel's counters are too small for it.
#include "plan/blocks.hpp"

#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("a scratch limit cuts the problem into blocks of whole tiles") {
  Planner make;
  const Problem problem = tight(1000, 777, 555);
  const std::size_t limit = 256 * 1024;
  const Plan plan = make(problem, "wpt", limit);
  check_plan(plan, problem, limit);
  CHECK(plan.block_m * plan.block_n * plan.block_k < problem.m * problem.n * problem.k);
  CHECK(plan.scratch_bytes > limit / 4);  // no smaller than necessary
}

TEST_CASE("the limit of one tile of A and B is enough, one byte less is out of memory") {
  Planner make;
  for (const char* kernel : {"tiled", "wpt", "block_1d", "block_1d_256", "float4", "float8"}) {
    for (const Problem& problem :
         {tight(999, 777, 555), tight(63, 63, 63), tight(3, 5, 7), tight(1, 999, 15)}) {
      INFO(kernel << " " << problem.m << " " << problem.n << " " << problem.k);
      const std::size_t least = tile_bytes(make(problem, kernel).first().gemm());
      CHECK_NOTHROW(check_plan(make(problem, kernel, least), problem, least));
      CHECK_ERROR([&] { make(problem, kernel, least - 1); }, out_of_memory, std::to_string(least));
    }
  }
}

TEST_CASE("by default, the limits are a quarter of the device's memory and the largest allocation") {
  Device device = made_up_gpu();
  device.global_bytes = 4 << 20;
  CHECK(default_scratch_limit(device) == 1 << 20);
  device.max_allocation_bytes = 1 << 18;
  CHECK(default_scratch_limit(device) == 1 << 18);
}

TEST_CASE("sizes beyond 32 bits are cut into blocks that a kernel can count") {
  Planner make;
  for (const char* kernel : {"coalesced", "wpt", "block_1d"}) {
    const std::size_t side = (std::size_t{1} << 31) + 5;
    for (const Problem& problem : {tight(side, 3, (std::size_t{1} << 33) + 1), tight(3, side, 5)})
      check_plan(make(problem, kernel), problem, no_limit);
  }
}

}  // namespace
}  // namespace clgemm
