// The configs that a device is offered for a problem: that they can be planned, and that the fast ones are
// among them.
#include "choose/candidates.hpp"

#include <fmt/format.h>

#include "choose/ranking.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("CPUs with any local memory from 32 KiB on, and any vectors, get panels") {
  for (const std::size_t kibibytes : {32u, 64u, 256u, 512u, 1024u, 2048u}) {
    for (const std::size_t width : {1u, 4u, 8u, 16u}) {
      Device device = made_up_cpu();
      device.local_bytes = kibibytes * 1024;
      device.native_float_width = width;
      INFO(fmt::format("{} KiB, vectors of {}", kibibytes, width));
      Planner make{device};
      const Problem problem = tight(1000, 700, 300);
      const Config best = candidates(problem, device).front().config;
      CHECK(best.kernel == "panels");
      check_plan(make(problem, best), problem, no_limit);
    }
  }
}

TEST_CASE("panels and what lies beside them leave room in a CPU's cache, and take all they may of it") {
  struct Expected {
    std::size_t kibibytes;
    bool transposed_a;
    std::int64_t depth, columns;
  };
  for (const Expected& expected :
       {Expected{32, false, 32, 64}, Expected{40, false, 64, 64}, Expected{128, false, 128, 128},
        Expected{256, false, 256, 128}, Expected{512, false, 512, 128}, Expected{1024, false, 512, 256},
        Expected{1280, false, 512, 384}, Expected{2048, false, 512, 512}, Expected{32, true, 32, 64},
        Expected{63, true, 32, 64}, Expected{64, true, 64, 64}, Expected{256, true, 128, 128},
        Expected{512, true, 256, 192}, Expected{1024, true, 256, 384}, Expected{1280, true, 512, 256},
        Expected{2048, true, 512, 512}}) {
    Device device = made_up_cpu();
    device.local_bytes = expected.kibibytes * 1024;
    for (const std::size_t width : {8u, 16u}) {
      device.native_float_width = width;
      INFO(fmt::format("{} KiB, vectors of {}, A transposed: {}", expected.kibibytes, width,
                       expected.transposed_a));
      Planner make{device};
      for (Problem problem : {tight(1000, 700, 300), tight(4096, 4096, 4096), tight(33, 3, 2049)}) {
        problem.a.transposed = expected.transposed_a;
        if (expected.transposed_a) problem.a.ld = problem.m;
        const Config best = candidates(problem, device).front().config;
        const Parameters& parameters = best.parameters;
        CHECK(parameters.at("KC") == expected.depth);
        CHECK(parameters.at("NC") == expected.columns);
        const std::int64_t beside = expected.transposed_a ? 16 * parameters.at("MR") : 0;
        const std::int64_t bytes = 4 * parameters.at("KC") * (parameters.at("NC") + beside);
        CHECK(8 * bytes <= 5 * static_cast<std::int64_t>(device.local_bytes));
        CHECK_NOTHROW(make(problem, best));
      }
    }
  }
}

TEST_CASE("few rows of C that share a B larger than a CPU's cache have panels of their own") {
  Device device = made_up_cpu();
  device.local_bytes = 2 * 1024 * 1024;
  const auto parameters_of = [&](const Problem& problem) {
    const Config best = candidates(problem, device).front().config;
    REQUIRE(best.kernel == "panels");
    Planner make{device};
    check_plan(make(problem, best), problem, no_limit);
    return best.parameters;
  };
  const Problem few = tight(16, 2048, 2048);
  for (const std::int64_t width : {4, 8, 16}) {
    device.native_float_width = static_cast<std::size_t>(width);
    const Parameters parameters = parameters_of(few);
    CHECK(parameters.at("WIDTH") == width);
    CHECK(parameters.at("KC") == 256);
    CHECK(parameters.at("NC") == 192);
    CHECK(parameters.at("MR") == (width == 4 ? 5 : 4));
    CHECK(parameters_of(tight(32, 2048, 2048)) == parameters);
    CHECK(parameters_of(tight(33, 2048, 2048)).at("KC") == 512);
    CHECK(parameters_of(tight(16, 512, 1024)).at("KC") == 512);
    CHECK(parameters_of(tight(16, 513, 1024)).at("KC") == 256);
  }
  device.local_bytes = 256 * 1024;
  CHECK(parameters_of(few).at("KC") == 128);
  device.local_bytes = 32 * 1024;
  CHECK(parameters_of(few).at("NC") == 64);
}

TEST_CASE("a C of one row is computed as one column") {
  const Problem problem = tight(1, 1000, 300);
  const Device device = made_up_cpu();
  const Config best = candidates(problem, device).front().config;
  CHECK(best.kernel == "matrix_vector");
  REQUIRE(best.mirrored);
  const Problem seen = seen_by(best, problem);
  CHECK(seen.m == 1000);
  CHECK(seen.n == 1);
  CHECK(seen.a.transposed);
  CHECK(seen.a.ld == problem.b.ld);
  CHECK(seen.b.transposed);
  CHECK(seen.b.ld == problem.a.ld);
  CHECK(seen.c.ld == 1);
  Planner make{device};
  check_plan(make(problem, best), seen, no_limit);
  CHECK_FALSE(candidates(tight(1000, 1, 300), device).front().config.mirrored);
  CHECK(candidates(tight(2, 1000, 300), device).front().config.kernel == "panels");
}

TEST_CASE("the last candidate runs on any device, and one of them on each") {
  Device least;
  least.global_bytes = least.max_allocation_bytes = 1 << 20;
  for (const Device& device : {made_up_gpu(), made_up_cpu(), made_up_gpu_256(), least}) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(1, 1, 1), tight(64, 64, 64), tight(1024, 1024, 1024)}) {
      const std::vector<Candidate> all = candidates(problem, device);
      REQUIRE_FALSE(all.empty());
      INFO(device.name);
      CHECK_NOTHROW(check_plan(make_plan(problem, all.back().config, configs, no_limit), problem, no_limit));
    }
  }
}

TEST_CASE("a GPU of 256 work-items has a candidate better than the last") {
  const Device device = made_up_gpu_256();
  ConfigCache configs(device, {});
  const Problem problem = tight(1024, 1024, 1024);
  const std::vector<Candidate> all = candidates(problem, device);
  std::size_t usable = 0;
  for (const Candidate& candidate : all) {
    if (&candidate == &all.back()) break;
    try {
      make_plan(problem, candidate.config, configs, no_limit);
      ++usable;
    } catch (const Error& error) {
      CHECK((error.code() == ErrorCode::device_limit_exceeded ||
             error.code() == ErrorCode::requirement_failed));
    }
  }
  CHECK(usable >= 1);
}

// Whether a plan can be made; false where the device's limits do not allow the config.
bool is_allowed(const Candidate& candidate, const Problem& problem, ConfigCache& configs) {
  try {
    check_plan(make_plan(problem, candidate.config, configs, no_limit), problem, no_limit);
    return true;
  } catch (const Error& error) {
    CHECK(
        (error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed));
    return false;
  }
}

TEST_CASE("the fast kernels are among what GPUs of every maker are given and allow") {
  for (const Device& device : made_up_gpus()) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(256, 256, 256), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(128, 128, 65536), tight(333, 77, 1001)}) {
      INFO(fmt::format("{}: {} x {} x {}", device.name, problem.m, problem.n, problem.k));
      std::size_t allowed = 0;
      for (const Candidate& candidate : candidates(problem, device)) {
        if (candidate.config.kernel != "direct" && candidate.config.kernel != "block_2d") continue;
        if (is_allowed(candidate, problem, configs)) ++allowed;
      }
      CHECK(allowed >= 1);
    }
  }
}

Problem batch_of(std::size_t count, std::size_t m, std::size_t n, std::size_t k) {
  Problem problem = tight(m, n, k);
  problem.batch_count = count;
  problem.a.stride = m * k;
  problem.b.stride = k * n;
  problem.c.stride = m * n;
  return problem;
}

// On an H200, ms by the best config of each kernel: 128 x 4096 x 1024 0.0225 tf32x3_wgmma, 0.0326 on fp32
// units; 67 x 5445 x 3336 0.087, 0.133; 4096 0.66 fp16x3_wgmma, 1.35 tf32x3_wgmma.
TEST_CASE("on Hopper three products are chosen where they were measured to be the fastest, and exact") {
  Device device = made_up_hopper();
  device.compute_units = 132;
  device.clock_mhz = 1980;
  ConfigCache configs(device, {});
  const auto kernel = [&](std::size_t m, std::size_t n, std::size_t k, Precision precision) {
    return rank_candidates(tight(m, n, k), configs, Tuning{}, no_limit, precision)
        .candidates.front()
        .config.kernel;
  };
  constexpr Precision any = Precision::fp32_equivalent;
  CHECK(kernel(128, 4096, 1024, any) == "tf32x3_wgmma");
  CHECK(kernel(67, 5445, 3336, any) == "tf32x3_wgmma");
  CHECK(kernel(4096, 4096, 4096, any) == "fp16x3_wgmma");
  CHECK(kernel(16, 4096, 4096, any) == "thin_rows");
  CHECK(kernel(4096, 4096, 31, any) == "block_2d");
  CHECK(kernel(128, 4096, 1024, Precision::fp32) != "tf32x3_wgmma");
  CHECK(kernel(4096, 4096, 4096, Precision::fp32) == "block_2d");
}

TEST_CASE("batches get what was measured to be the fastest for them on an H200, or within 10 % of it") {
  struct Expected {
    std::size_t count, side;
    const char* kernel;
    std::int64_t tile;  // rows of it
  };
  Device device = made_up_hopper();
  device.compute_units = 132;
  device.clock_mhz = 1980;
  ConfigCache configs(device, {});
  for (const Expected& expected :
       {Expected{10000, 8, "small", 8}, Expected{1000, 8, "small", 8}, Expected{4000, 10, "small", 16},
        Expected{10000, 16, "small", 16}, Expected{1000, 16, "small", 16}, Expected{4000, 20, "small", 24},
        Expected{4000, 24, "small", 24}, Expected{4000, 32, "direct", 32}, Expected{1000, 32, "direct", 32},
        Expected{2000, 48, "small", 48}, Expected{2000, 64, "block_2d", 64},
        Expected{500, 64, "block_2d", 64}, Expected{1000, 96, "direct", 32},
        Expected{300, 256, "block_2d", 64}}) {
    INFO(expected.count << " of " << expected.side);
    const Problem problem = batch_of(expected.count, expected.side, expected.side, expected.side);
    const Config config = rank_candidates(problem, configs, Tuning{}, no_limit).candidates.front().config;
    CHECK(config.kernel == expected.kernel);
    CHECK(config.parameters.at("BM") == expected.tile);
  }
}

TEST_CASE(
    "every GPU has a config for every batch, in place where the matrices are small, and one for lists") {
  for (const Device& device : made_up_gpus()) {
    ConfigCache configs(device, {});
    for (const std::size_t m : {1u, 5u, 16u, 40u, 100u, 700u}) {
      for (const std::size_t n : {1u, 7u, 31u, 64u, 300u}) {
        for (const std::size_t k : {1u, 8u, 33u, 600u}) {
          Problem problem = batch_of(500, m, n, k);
          INFO(fmt::format("{}: {} x {} x {}", device.name, m, n, k));
          const Ranking ranking = rank_candidates(problem, configs, Tuning{}, no_limit);
          const Plan plan = make_plan(problem, ranking.candidates.front().config, configs, no_limit);
          check_plan(plan, problem, no_limit);
          CHECK(plan.block_batch == problem.batch_count);
          if (m <= 16 && n <= 64) CHECK(plan.scratch_bytes == 0);
          problem.listed = true;
          for (const Candidate& candidate :
               rank_candidates(problem, configs, Tuning{}, no_limit).candidates) {
            const Plan listed = make_plan(problem, candidate.config, configs, no_limit);
            CHECK(listed.first().multiply().manifest().takes_lists());
            CHECK(listed.first().split.parts == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("a batch longer than the device counts work-groups is cut by work-groups, not by matrices") {
  Planner make;
  const Problem problem = batch_of(10 * max_groups_beyond_first, 8, 8, 8);
  CHECK(make(problem, "coalesced").block_batch == max_groups_beyond_first);
  CHECK(make(problem, Config{"small", {{"MATRICES", 8}}}).block_batch == 8 * max_groups_beyond_first);
}

TEST_CASE("small problems are not packed") {
  Planner make;
  const Ranking ranking = rank_candidates(tight(31, 17, 5), make.configs, Tuning{}, no_limit);
  CHECK(make(tight(31, 17, 5), ranking.candidates.front().config).scratch_bytes == 0);
}

}  // namespace
}  // namespace clgemm
