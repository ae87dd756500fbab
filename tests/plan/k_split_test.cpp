// How many parts k is split into: by the numbers alone, and in a plan.
#include "plan/k_split.hpp"

#include <algorithm>
#include <random>

#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TiledWork work_of(std::size_t m, std::size_t n, std::size_t k) {
  TiledWork work;
  work.m = m;
  work.n = n;
  work.k = k;
  work.tile_rows = 64;
  work.tile_columns = 128;
  work.depth_unit = 16;
  work.group_items = 256;
  return work;
}

constexpr std::size_t units = 132;
constexpr std::size_t any_number = 65535;

TEST_CASE("parts are equal but for a shorter last one, and no more than asked for") {
  const KSplit split = split_evenly(work_of(128, 128, 1000), 8, units);
  CHECK(split.parts == 8);
  CHECK(split.depth == 128);
  CHECK(split_evenly(work_of(128, 128, 1000), 7, units).depth == 144);
  CHECK(split_evenly(work_of(128, 128, 1000), 7, units).parts == 7);
  CHECK(split_evenly(work_of(128, 128, 17), 100, units).parts == 2);
  CHECK(split_evenly(work_of(128, 128, 16), 100, units).parts == 1);
  CHECK(split_evenly(work_of(128, 128, 1000), 1, units).depth == 1000);
}

TEST_CASE("few tiles and a deep k make many parts; enough tiles, a small k or no room make one") {
  CHECK(best_split(work_of(128, 128, 65536), any_number, units).parts >= 64);
  CHECK(best_split(work_of(8192, 8192, 65536), any_number, units).parts == 1);
  CHECK(best_split(work_of(128, 128, 16), any_number, units).parts == 1);
  CHECK(best_split(work_of(128, 128, 65536), 1, units).parts == 1);
  TiledWork batch = work_of(128, 128, 65536);
  batch.batch_count = 1000;
  CHECK(best_split(batch, any_number, units).parts == 1);
}

TEST_CASE("random work: the split covers k, keeps to its bound, and is never dearer than none") {
  std::mt19937 random(20240229);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  const auto size = [&below] { return 1 + below(std::size_t{1} << (1 + below(20))); };
  std::size_t splits = 0;
  for (int i = 0; i < 20000; ++i) {
    TiledWork work = work_of(size(), size(), size());
    work.batch_count = 1 + below(3) * below(9);
    work.tile_rows = std::size_t{1} << below(9);
    work.tile_columns = std::size_t{1} << below(9);
    work.depth_unit = std::size_t{8} << below(4);
    work.group_items = std::size_t{32} << below(6);
    const std::size_t most = 1 + below(1000);
    const std::size_t compute_units = 1 + below(200);
    INFO(work.m << " x " << work.n << " x " << work.k << " at most " << most << " of " << compute_units);
    const KSplit split = best_split(work, most, compute_units);
    CHECK(split.parts >= 1);
    CHECK(split.parts <= most);
    CHECK((split.parts - 1) * split.depth < work.k);
    CHECK(split.parts * split.depth >= work.k);
    if (split.parts > 1) CHECK(split.depth % work.depth_unit == 0);
    CHECK(split.cost <= split_evenly(work, 1, compute_units).cost);
    if (split.parts > 1) ++splits;
  }
  CHECK(splits > 1000);
}

TEST_CASE("the result of a part has rows of whole fours and begins at a cache line") {
  CHECK(part_ld(1) == 4);
  CHECK(part_ld(128) == 128);
  CHECK(part_elements(3, 5) == 64);
  CHECK(part_elements(128, 128) == 128 * 128);
}

TEST_CASE("a C of few tiles is done in parts of k, where they pay and fit") {
  Planner make;  // 64 compute units
  const auto parts = [&make](const Problem& problem, std::size_t limit = no_limit) {
    const Plan plan = make(problem, "block_2d", limit);  // tiles of 128 x 128 x 8
    check_plan(plan, problem, limit);
    return plan.first().split.parts;
  };
  CHECK(parts(tight(128, 128, 65536)) >= 64);
  CHECK(parts(tight(1024, 1024, 1024)) <= 4);
  CHECK(parts(tight(4096, 4096, 65536)) == 1);
  CHECK(parts(tight(128, 128, 16)) == 1);
  const std::size_t part_bytes = 128 * 128 * sizeof(float);
  CHECK(parts(tight(128, 128, 65536), 4 * part_bytes) == 4);
  CHECK(parts(tight(128, 128, 65536), 2 * part_bytes - 1) == 1);
  Problem batch = tight(128, 128, 65536);
  batch.batch_count = 1000;
  CHECK(parts(batch) == 1);
}

TEST_CASE("CPUs do k in one part unless it is asked for") {
  Planner make{made_up_cpu()};
  CHECK(make(tight(8, 8, 65536), "coalesced").first().split.parts == 1);
  CHECK(make(tight(8, 8, 65536), Config{"coalesced", {{split_parameter, 4}}}).first().split.parts == 4);
}

TEST_CASE("a device that cannot add up parts does k in one, unless they were asked for") {
  Device device = made_up_gpu();
  device.max_work_group_size = 128;
  Planner make{device};
  const Problem deep = tight(8, 8, 65536);
  const auto narrow = [](std::int64_t parts) {
    return Config{"coalesced", {{"ROWS", 1}, {"COLUMNS", 32}, {split_parameter, parts}}};
  };
  CHECK(make(deep, narrow(0)).first().split.parts == 1);
  CHECK(make(deep, narrow(0)).scratch_bytes == 0);
  CHECK_ERROR([&] { make(deep, narrow(4)); }, device_limit_exceeded, "reduce_parts");
}

}  // namespace
}  // namespace clgemm
