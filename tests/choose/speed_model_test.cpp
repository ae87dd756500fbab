// The speed model finds the fastest config in measurements of an H200, and its terms have the expected
// effects.
#include "choose/speed_model.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "choose/ranking.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"

namespace clgemm {
namespace {

using test::tight;

constexpr Rates rates{10e-6, 3e-6, 1e-6, 1e15, 1e12, 1e12};
constexpr ConfigSpeed speed{2e-6, 10e-9, 8e-9, 2, 0.0, 1.5};

Work work_of(const Problem& problem, const Config& config, ConfigCache& configs) {
  const Plan plan = outline_plan(problem, config, configs, unlimited_scratch);
  return clgemm::work_of(plan, first_block(plan), configs.device().kind);
}

double seconds_of(const Problem& problem, Config config, std::int64_t slices = 1,
                  const Rates& at_rates = rates) {
  static const Device& device = *new Device(test::made_up_h200());
  static ConfigCache& configs = *new ConfigCache(device, {});
  config.parameters[split_parameter] = slices;
  return predict(work_of(problem, config, configs), speed, at_rates, device.compute_units).seconds();
}

const Config direct{
    "direct", {{"BM", 64}, {"BN", 64}, {"TM", 8}, {"TN", 8}, {"DEPTH", 8}, {"SLICES", 2}, {"COPIES", 2}}};

TEST_CASE("work-groups run in rounds over all compute units, as many at a time as are resident") {
  const auto groups = [](std::size_t count) { return seconds_of(tight(64 * count, 64, 20000), direct); };
  CHECK(groups(1) == Approx(groups(132)).epsilon(1e-3));
  CHECK(groups(264) == Approx(1e-6 + 2e-6 + 20000 * 16e-9).epsilon(1e-3));
  CHECK(groups(265) == Approx(1e-6 + 2e-6 + 20000 * 16e-9 + 2e-6 + 20000 * 10e-9).epsilon(1e-3));
}

TEST_CASE("the start of later rounds is hidden by running work-groups, except for a part") {
  Rates at_rates = rates;
  at_rates.repeated = 0.25;
  const auto groups = [&](std::size_t count) {
    return seconds_of(tight(64 * count, 64, 20000), direct, 1, at_rates);
  };
  CHECK(groups(264) == Approx(1e-6 + 2e-6 + 20000 * 16e-9).epsilon(1e-3));
  CHECK(groups(3 * 264) == Approx(1e-6 + 2e-6 * 1.5 + 3 * 20000 * 16e-9).epsilon(1e-4));
  CHECK(groups(2 * 264 + 1) == Approx(1e-6 + 2e-6 * 1.5 + 2 * 20000 * 16e-9 + 20000 * 10e-9).epsilon(1e-4));
}

TEST_CASE(
    "work-groups with several tiles begin again for each row of tiles, so few columns make short turns") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const Config shallow{"tf32x3_shallow", {}};  // two work-groups on a unit, with tiles of 64 x 128
  const auto most_residents = [&](std::size_t m, std::size_t n) {
    return work_of(test::tight_batch(1000, m, n, 64), shallow, configs).most_residents;
  };
  CHECK(most_residents(640, 128) == 2);
  CHECK(most_residents(640, 129) == 4);
  CHECK(most_residents(64, 1024) == 16);
  CHECK(std::isinf(work_of(test::tight_batch(1000, 128, 64, 64), direct, configs).most_residents));
  ConfigSpeed eight = speed;
  eight.residents = 8;
  const auto seconds = [&](const Problem& problem) {
    return predict(work_of(problem, shallow, configs), eight, rates, device.compute_units).device();
  };
  CHECK(seconds(test::tight_batch(132 * 8, 64, 128, 64)) ==
        Approx(rates.start_seconds + 4 * (2e-6 + 64 * 2 * 8e-9)).epsilon(1e-3));
  CHECK(seconds(test::tight_batch(132, 64, 8 * 128, 64)) ==
        Approx(rates.start_seconds + 2e-6 + 64 * 8 * 8e-9).epsilon(1e-3));
}

TEST_CASE("compute units share the last round unevenly, and less so after more rounds") {
  Rates at_rates = rates;
  at_rates.uneven = 0.5;
  const auto of_last = [&](std::size_t turns) {
    const auto groups = [&](std::size_t count) {
      return seconds_of(tight(64 * count, 64, 20000), direct, 1, at_rates);
    };
    return groups(turns * 264 + 66) - (turns == 0 ? rates.start_seconds : groups(turns * 264)) - speed.begin;
  };
  // There is only one turn, with one work-group for each unit.
  CHECK(of_last(0) == Approx(20000 * speed.alone).epsilon(1e-3));
  CHECK(of_last(1) == Approx(20000 * 1.5 * speed.share).epsilon(1e-3));
  const double one_is_left = seconds_of(tight(64 * 265, 64, 20000), direct, 1, at_rates);
  CHECK(one_is_left == Approx(seconds_of(tight(64 * 265, 64, 20000), direct)));
  CHECK(of_last(4) == Approx(20000 * std::max(1.25 * speed.share, speed.alone)).epsilon(2e-3));
}

TEST_CASE("small work-groups take as long as the next number of them that keeps a compute unit busy") {
  ConfigSpeed of_small = speed;
  of_small.residents = 6;
  of_small.alone = 1e-9;
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const auto steps = [&](std::int64_t slices, std::size_t groups_of_unit) {
    Config config = direct;
    config.parameters["SLICES"] = slices;
    const Work work = work_of(tight(64 * 132 * groups_of_unit, 64, 20000), config, configs);
    return (predict(work, of_small, rates, device.compute_units).gemm - speed.begin) / (20000 * speed.share);
  };
  constexpr std::int64_t of_64_items = 1, of_128_items = 2;
  CHECK(steps(of_128_items, 1) == Approx(1.0).epsilon(1e-3));
  CHECK(steps(of_128_items, 3) == Approx(3.0).epsilon(1e-3));
  CHECK(steps(of_64_items, 1) == Approx(2.0).epsilon(1e-3));
  CHECK(steps(of_64_items, 3) == Approx(4.0).epsilon(1e-3));
}

TEST_CASE("if the host is the limit, configs that take less host time are faster") {
  Prediction slow;
  slow.host = 10e-6;
  slow.gemm = 8e-6;
  Prediction fast = slow;
  fast.gemm = 5e-6;
  CHECK(is_faster(fast, slow));
  CHECK_FALSE(is_faster(slow, fast));
  CHECK_FALSE(is_faster(slow, slow));
  slow.host = 9e-6;
  CHECK(is_faster(slow, fast));
}

TEST_CASE("a pass that packs or adds up takes additional time") {
  const Config packs{"tiled", {}};
  Rates at_rates = rates;
  at_rates.call_seconds = 0.0;
  const double before = seconds_of(tight(1000, 1000, 1000), packs, 1, at_rates);
  const double before_in_slices = seconds_of(tight(1000, 1000, 1000), packs, 2, at_rates);
  at_rates.pass_seconds = 3e-6;
  CHECK(seconds_of(tight(1000, 1000, 1000), packs, 1, at_rates) == Approx(before + 6e-6));
  CHECK(seconds_of(tight(1000, 1000, 1000), packs, 2, at_rates) == Approx(before_in_slices + 9e-6));
  CHECK(seconds_of(tight(1024, 1024, 1024), direct, 1, at_rates) ==
        seconds_of(tight(1024, 1024, 1024), direct, 1, rates));
}

TEST_CASE("matrices of a batch and slices of k give more work-groups") {
  Problem batch = tight(64, 64, 20000);
  batch.batch_count = 265;
  batch.a.stride = batch.b.stride = batch.c.stride = 64 * 20000;
  CHECK(seconds_of(batch, direct) >= seconds_of(tight(64 * 265, 64, 20000), direct));
  const Problem deep = tight(64, 64, 65536);
  CHECK(seconds_of(deep, direct, 128) < seconds_of(deep, direct) / 5);  // one work-group adds up all slices
}

TEST_CASE("adding up the slices in the same launch is a pass, but not another launch") {
  const Problem deep = tight(64, 64, 65536);
  const auto added = [&](std::int64_t slices, const Rates& more) {
    return seconds_of(deep, direct, slices, more) - seconds_of(deep, direct, slices);
  };
  Rates slow_start = rates;
  slow_start.start_seconds += 50e-6;
  CHECK(added(1, slow_start) == Approx(50e-6));
  CHECK(added(16, slow_start) == Approx(50e-6));
  Rates slow_pass = rates;
  slow_pass.pass_seconds += 30e-6;
  CHECK(added(1, slow_pass) == Approx(0.0).margin(1e-9));
  CHECK(added(16, slow_pass) == Approx(30e-6));
}

TEST_CASE("adding up in the same launch takes a time for each slice, which depends on the config") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const auto adding = [&](std::int64_t slices, double part) {
    ConfigSpeed of_part = speed;
    of_part.part = part;
    Config config = direct;
    config.parameters[split_parameter] = slices;
    const Work work = work_of(tight(64, 64, 65536), config, configs);
    return predict(work, of_part, rates, device.compute_units).adding;
  };
  CHECK(adding(16, 300e-9) - adding(16, 0.0) == Approx(16 * 300e-9));
  CHECK(adding(1, 300e-9) == 0.0);
}

TEST_CASE("steps have factors for transposed operands, if the kernel reads them in place") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  ConfigSpeed factors = speed;
  factors.begin = 0.0;
  factors.transposed_a = 1.5;
  factors.transposed_b = 0.8;
  const auto gemm = [&](const Config& config, bool a, bool b) {
    Problem problem = tight(640, 640, 20000);
    if (a) problem.a = {true, 640, 0, 0, 32};
    if (b) problem.b = {true, 20000, 0, 0, 32};
    Rates no_moving = rates;
    no_moving.bytes = 1e18;
    return predict(work_of(problem, config, configs), factors, no_moving, device.compute_units).gemm;
  };
  const double plain = gemm(direct, false, false);
  CHECK(gemm(direct, true, false) == Approx(1.5 * plain));
  CHECK(gemm(direct, false, true) == Approx(0.8 * plain));
  CHECK(gemm(direct, true, true) == Approx(1.2 * plain));
  const Config packs{"tiled", {}};
  CHECK(gemm(packs, true, true) == Approx(gemm(packs, false, false)));
  CHECK_FALSE(work_of(tight(640, 1, 640), direct, configs).transposed_b);  // a column is one line either way
}

TEST_CASE("a kernel for small k takes whole steps") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const auto depth = [&](std::size_t k) {
    return work_of(tight(640, 640, k), {"tf32x3_shallow", {}}, configs).depth;
  };
  CHECK(depth(17) == 32.0);
  CHECK(depth(32) == 32.0);
  CHECK(depth(33) == 64.0);
  CHECK(depth(64) == 64.0);
}

TEST_CASE("a config may have a part of its own for the begin of further turns") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const Work work = work_of(tight(64 * 132 * 6, 64, 20000), direct, configs);
  ConfigSpeed in_turns = speed;
  in_turns.residents = 2;
  in_turns.begin = 1e-3;
  Rates no_moving = rates;
  no_moving.bytes = 1e18;
  no_moving.repeated = 0.5;
  const auto gemm = [&] { return predict(work, in_turns, no_moving, device.compute_units).gemm; };
  const double by_rate = gemm();
  in_turns.repeated = 0.5;
  CHECK(gemm() == by_rate);
  in_turns.repeated = 0.25;
  CHECK(gemm() == Approx(by_rate - 2 * 0.25 * in_turns.begin));
}

TEST_CASE("few work-groups wait longer for operands that the cache cannot hold") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  ConfigSpeed waits = speed;
  waits.begin = 0.0;
  waits.uncached = 1.5;
  const auto gemm = [&](std::size_t groups, double cached_bytes) {
    Rates at_rates = rates;
    at_rates.bytes = 1e18;
    at_rates.cached_bytes = cached_bytes;
    const Work work = work_of(tight(64 * groups, 64, 20000), direct, configs);
    return predict(work, waits, at_rates, device.compute_units).gemm;
  };
  constexpr double bytes_of_one = 4.0 * 2 * 64 * 20000;
  CHECK(gemm(1, bytes_of_one) == Approx(20000 * waits.alone));
  CHECK(gemm(1, bytes_of_one - 1.0) == Approx(20000 * 1.5 * waits.alone));
  CHECK(gemm(264, 0.0) == Approx(20000 * 2 * waits.share));  // two on each compute unit take longer anyway
}

TEST_CASE("packing reads the padded operands and writes the packed copies") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const auto bytes = [&](const std::string& name, const Problem& problem) {
    return work_of(problem, {name, {}}, configs).packed_bytes;
  };
  constexpr double a = 1024 * 2048, b = 512 * 2048;
  const Problem problem = tight(1000, 500, 2047);
  CHECK(bytes("tiled", problem) == Approx(4.0 * (1008 + 512) * 2048 * 2));  // tiles of 16 x 16
  CHECK(bytes("fp16x3_wgmma", problem) == Approx(4 * (a + b) * 2).epsilon(1e-3));
  CHECK(bytes("bf16x6_mma", problem) == Approx(4 * (a + b) * 2.5));
  CHECK(bytes("direct", problem) == 0.0);
  Problem one_b = test::tight_batch(7, 1024, 512, 2048);
  one_b.b.stride = 0;
  CHECK(bytes("bf16x6_mma", one_b) == Approx(4 * (7 * a + b) * 2.5));
}

TEST_CASE("the smaller one of computing and moving operands is hidden by the larger one, except for a part") {
  const Problem problem = tight(64 * 132, 64, 20000);
  constexpr double bytes = 4.0 * (64 * 132 * 20000.0 + 64 * 20000.0 + 64 * 132 * 64.0);
  const auto seconds = [&](double moving, double unhidden) {
    Rates at_rates = rates;
    at_rates.bytes = bytes / moving;
    at_rates.unhidden = unhidden;
    return seconds_of(problem, direct, 1, at_rates);
  };
  const double computing = seconds(1e-9, 0.0) - rates.start_seconds;
  CHECK(seconds(100e-6, 0.5) == Approx(rates.start_seconds + computing + 50e-6));
  CHECK(seconds(1e-3, 0.5) == Approx(rates.start_seconds + 1e-3 + computing / 2));
}

TEST_CASE("lines that cannot be read four elements at a time take longer, as measured") {
  const double whole_fours = seconds_of(tight(4096, 64, 20000), direct);
  const double none = seconds_of(tight(4096, 63, 20001), direct);
  CHECK(none > 1.4 * whole_fours);
  for (const double of_one :
       {seconds_of(tight(4096, 64, 20001), direct), seconds_of(tight(4096, 63, 20000), direct)}) {
    CHECK(of_one == Approx(std::sqrt(none * whole_fours)).epsilon(0.05));
  }
}

TEST_CASE("on GPUs, a C that a padded kernel cannot store four elements at a time counts three times") {
  const auto part_of_c = [](const Device& device, const std::string& kernel, std::size_t n, std::size_t ldc) {
    ConfigCache configs(device, {});
    Problem problem = tight(6860, n, 16);
    problem.c.ld = ldc;
    const double a_and_b = 4.0 * (6860.0 + static_cast<double>(n)) * 16;
    const double bytes = work_of(problem, {kernel, {}}, configs).bytes;
    return (bytes - a_and_b) / (4.0 * 6860 * static_cast<double>(n));
  };
  const Device h200 = test::made_up_h200();
  CHECK(part_of_c(h200, "block_2d", 5516, 5516) == Approx(1));
  CHECK(part_of_c(h200, "block_2d", 5516, 5520) == Approx(1));
  CHECK(part_of_c(h200, "block_2d", 5516, 5517) == Approx(3));
  CHECK(part_of_c(h200, "block_2d", 5517, 5520) == Approx(3));
  CHECK(part_of_c(h200, "direct", 5516, 5517) == Approx(1));
  CHECK(part_of_c(h200, "fp16x3_wgmma", 5516, 5517) == Approx(1));
  CHECK(part_of_c(test::made_up_cpu(), "block_2d", 5516, 5517) == Approx(1));
}

TEST_CASE("unaligned stores make `direct` the choice for a GEMM with small k") {
  const Device device = test::made_up_h200();
  ConfigCache configs(device, {});
  const auto kernel = [&](std::size_t m, std::size_t n, std::size_t k) {
    return rank_candidates(tight(m, n, k), configs, test::shipped_tuning(), test::no_limit, Precision::fp32)
        .candidates.front()
        .config.kernel;
  };
  CHECK(kernel(6860, 5517, 16) == "direct");  // on an H200: 68 us, block_2d 161
  CHECK(kernel(8268, 8370, 32) == "direct");  // on an H200: 154 us, block_2d 247
}

TEST_CASE("a CPU copies a transposed B in pieces of its columns, and fewer of them in deeper panels") {
  Device device = test::made_up_cpu();
  device.compute_units = 2;
  ConfigCache configs(device, {});
  const auto more = [&](const Config& config, std::size_t n) {
    const auto seconds = [&](bool transposed) {
      Problem problem = tight(8, n, 3000);
      problem.b.transposed = transposed;
      return predict(work_of(problem, config, configs), speed, rates, device.compute_units).device();
    };
    return seconds(true) - seconds(false);
  };
  const auto panels = [](std::int64_t depth) {
    return Config{"panels", {{"WIDTH", 8}, {"KC", depth}, {"NC", 64}}};
  };
  constexpr double piece = 18e-9;
  CHECK(more(panels(256), 128) == Approx(64 * 12 * piece));  // 64 columns for each of two work-groups
  CHECK(more(panels(64), 128) == Approx(64 * 47 * piece));
  CHECK(more(panels(64), 1) == 0.0);  // a column is one line of memory in both cases
  CHECK(more({"matrix_vector", {}}, 1) == 0.0);
}

TEST_CASE("rows of A that collide in a CPU's cache take longer if many are read at the same time") {
  const Device device = test::made_up_cpu();
  ConfigCache configs(device, {});
  const auto seconds_of = [&](const Config& config, const Problem& problem) {
    return predict(work_of(problem, config, configs), speed, rates, device.compute_units).device();
  };
  const auto seconds = [&](std::int64_t rows, std::size_t m, std::size_t ld, bool transposed = false) {
    Problem problem = tight(m, 2000, 2000);
    problem.a.ld = ld;
    problem.a.transposed = transposed;
    return seconds_of({"panels", {{"WIDTH", 8}, {"MR", rows}, {"KC", 64}, {"NC", 64}}}, problem);
  };
  CHECK(seconds(13, 2000, 4096) > 1.1 * seconds(13, 2000, 4112));
  CHECK(seconds(13, 2000, 4096) == seconds(13, 2000, 5120));
  CHECK(seconds(13, 2000, 4608) == seconds(13, 2000, 4112));
  CHECK(seconds(13, 2000, 4096, true) == seconds(13, 2000, 4112, true));
  CHECK(seconds(13, 5, 4096) == seconds(13, 5, 4112));
  CHECK(seconds(11, 2000, 4096) == seconds(11, 2000, 4112));

  Problem vector = tight(2000, 1, 2000);
  const auto of_vector = [&](std::size_t ld) {
    vector.a.ld = ld;
    return seconds_of({"matrix_vector", {{"WIDTH", 16}}}, vector);
  };
  CHECK(of_vector(4096) == of_vector(4112));
}

TEST_CASE("memory and the host are limits, too") {
  CHECK(seconds_of(tight(8, 8, 8), direct) == Approx(10e-6));
  Rates slow_memory = rates;
  slow_memory.bytes = 1e9;
  const auto seconds = [&](const Problem& problem) { return seconds_of(problem, direct, 1, slow_memory); };
  Problem problem = tight(1000, 2000, 30);
  constexpr double a = 1000 * 30, b = 30 * 2000, c = 1000 * 2000;
  CHECK(seconds(problem) == Approx(4e-9 * (a + b + c)).epsilon(0.01));
  problem.batch_count = 5;
  problem.a.stride = 1000 * 30;
  problem.b.stride = 0;  // one matrix for all
  problem.c.stride = 1000 * 2000;
  CHECK(seconds(problem) == Approx(4e-9 * (5 * a + b + 5 * c)).epsilon(0.01));
}

TEST_CASE("the times of blocks are added up, and A is packed once for a row of blocks") {
  test::Planner make;
  const Plan plan = make(tight(500, 700, 2000), "tiled", 1 << 18);
  const auto rows = static_cast<double>(ceil_div(500, plan.block_m) * ceil_div(2000, plan.block_k));
  const auto columns = static_cast<double>(ceil_div(700, plan.block_n));
  REQUIRE(plan.block_m < 500);
  REQUIRE(columns > 1);
  Rates only_launches;
  only_launches.start_seconds = only_launches.launch_seconds = 1.0;
  only_launches.call_seconds = 0.0;
  const Prediction launches = predict(plan, speed, only_launches, DeviceKind::gpu);
  CHECK(launches.launches == Approx(rows * (1 + 2 * columns)));
  CHECK(launches.host == Approx(rows * (1 + 2 * columns) - 1 + 0.13));  // with scratch memory
  Rates only_packing;
  only_packing.packing_bytes = 8.0;  // an element read and written per second
  const auto a = static_cast<double>(plan.block_m * plan.block_k);
  const auto b = static_cast<double>(plan.block_k * plan.block_n);
  CHECK(predict(plan, speed, only_packing, DeviceKind::gpu).packing == Approx(rows * (a + columns * b)));
}

TEST_CASE("ranking the candidates of a shape takes little time, compared with reading the kernels") {
  const Device device = test::made_up_h200();
  const Tuning& tuning = test::shipped_tuning();
  ConfigCache configs(device, {});
  const auto ticks_to_rank = [&] {
    const std::clock_t start = std::clock();
    rank_candidates(tight(1000, 1000, 1000), configs, tuning, default_scratch_limit(device));
    return std::clock() - start;
  };
  // Each shape is ranked once, and the first ranking reads the kernels. This is a ratio of CPU times, because
  // an emulator changes times, and other programs change those of the wall clock.
  const std::clock_t first = ticks_to_rank();
  std::clock_t later = first;
  for (int i = 0; i < 20; ++i) later = std::min(later, ticks_to_rank());
  INFO(first << " ticks, then " << later);
  // On an AMD EPYC (Zen 5), it was first / 32 or less, also under QEMU (26 November 2026).
  CHECK(later <= first / 4);
}

}  // namespace
}  // namespace clgemm
