// The number of slices along k, from the numbers alone, and in a plan.
#include "plan/k_split.hpp"

#include <algorithm>
#include <random>

#include "choose/ranking.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("slices are equal except for a shorter last one, and not more than requested") {
  const KSplit split = split_evenly(1000, 8, 16);
  CHECK(split.slices == 8);
  CHECK(split.depth == 128);
  CHECK(split_evenly(1000, 7, 16).depth == 144);
  CHECK(split_evenly(1000, 7, 16).slices == 7);
  CHECK(split_evenly(17, 100, 16).slices == 2);
  CHECK(split_evenly(16, 100, 16).slices == 1);
  CHECK(split_evenly(1000, 1, 16).depth == 1000);
}

TEST_CASE("random problems: the slices cover k, begin at whole units, and stay within their bound") {
  std::mt19937 random(20240229);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  for (int i = 0; i < 20000; ++i) {
    const std::size_t k = 1 + below(std::size_t{1} << (1 + below(20)));
    const std::size_t unit = std::size_t{8} << below(4);
    const std::size_t most = 1 + below(1000);
    INFO(k << " in units of " << unit << ", at most " << most);
    const KSplit split = split_evenly(k, most, unit);
    CHECK(split.slices >= 1);
    CHECK(split.slices <= most);
    CHECK((split.slices - 1) * split.depth < k);
    CHECK(split.slices * split.depth >= k);
    if (split.slices > 1) CHECK(split.depth % unit == 0);
  }
}

TEST_CASE("the result of a slice has rows of a multiple of four elements and begins at a cache line") {
  CHECK(slice_ld(1) == 4);
  CHECK(slice_ld(128) == 128);
  CHECK(slice_elements(3, 5) == 64);
  CHECK(slice_elements(128, 128) == 128 * 128);
}

TEST_CASE("a C of few tiles uses split-K, if it is faster and fits") {
  Planner make;  // 64 compute units
  const SpeedTable table = shipped_tuning().tables(make.device).front();
  const auto slices = [&](const Problem& problem, std::size_t limit = no_limit) {
    const Config config{"block_2d", {}};  // tiles of 128 x 128 x 8
    const Plan plan = plan_in_best_slices(problem, config, table, make.configs, limit);
    check_plan(plan, problem, limit);
    return plan.first().split.slices;
  };
  CHECK(slices(tight(128, 128, 65536)) >= 64);
  CHECK(slices(tight(1024, 1024, 1024)) <= 4);
  CHECK(slices(tight(4096, 4096, 65536)) == 1);
  CHECK(slices(tight(128, 128, 16)) == 1);
  const std::size_t slice_bytes = 128 * 128 * sizeof(float);
  CHECK(slices(tight(128, 128, 65536), 4 * slice_bytes) == 4);
  CHECK(slices(tight(128, 128, 65536), 2 * slice_bytes - 1) == 1);
  Problem batch = tight(128, 128, 65536);
  batch.batch_count = 1000;
  CHECK(slices(batch) == 1);
}

TEST_CASE("CPUs do not use split-K unless it is requested") {
  Planner make{made_up_cpu()};
  const SpeedTable table = shipped_tuning().tables(make.device).front();
  const Problem deep = tight(8, 8, 65536);
  CHECK(plan_in_best_slices(deep, {"coalesced", {}}, table, make.configs, no_limit).first().split.slices ==
        1);
  CHECK(make(deep, Config{"coalesced", {{split_parameter, 4}}}).first().split.slices == 4);
}

TEST_CASE("a device that cannot add up slices does not use split-K unless it is requested") {
  Device device = made_up_gpu();
  device.max_work_group_size = 128;
  Planner make{device};
  const Problem deep = tight(8, 8, 65536);
  const auto narrow = [](std::int64_t slices) {
    return Config{"coalesced", {{"ROWS", 1}, {"COLUMNS", 32}, {split_parameter, slices}}};
  };
  CHECK(make(deep, narrow(0)).first().split.slices == 1);
  CHECK(make(deep, narrow(0)).scratch_bytes == 0);
  CHECK_ERROR([&] { make(deep, narrow(4)); }, device_limit_exceeded, "reduce_parts");
}

}  // namespace
}  // namespace clgemm
