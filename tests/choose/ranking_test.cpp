// The candidates for devices of every kind and problems of every shape can be planned, and include the fast
// kernels.
#include "choose/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/error.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

std::vector<Candidate> ranked(const Problem& problem, ConfigCache& configs, std::size_t limit = no_limit,
                              Precision precision = Precision::fp32_equivalent) {
  return rank_candidates(problem, configs, shipped_tuning(), limit, precision).candidates;
}

std::vector<Device> all_kinds() {
  std::vector<Device> result = made_up_gpus();
  result.push_back(made_up_gpu());
  result.push_back(made_up_gpu_256());
  result.push_back(made_up_hopper());
  for (const std::size_t width : {1U, 4U, 8U, 16U}) {
    for (const std::size_t kibibytes : {32U, 64U, 256U, 2048U}) {
      result.push_back(made_up_cpu());
      result.back().native_float_width = width;
      result.back().local_bytes = kibibytes * 1024;
    }
  }
  return result;
}

TEST_CASE(
    "a file with the name of a packing kernel but another role is reported, and kernels that need it are not "
    "chosen") {
  const TemporaryFolder folder;
  folder.write("pack_both_fp16_planes.cl",
               "// clgemm: pack_both_fp16_planes\n// role: scale\n// summary: none\n// tile: 1 1 1\n// "
               "local: 64\n// grid: rows\n");
  const Device device = made_up_h200();
  ConfigCache configs(device, folder.path().string());
  const Ranking ranking = rank_candidates(tight(4096, 4096, 4096), configs, shipped_tuning(), no_limit);
  CHECK(std::none_of(ranking.candidates.begin(), ranking.candidates.end(),
                     [](const Candidate& one) { return one.config.kernel.rfind("fp16x3", 0) == 0; }));
  const auto said = std::find_if(ranking.rejected.begin(), ranking.rejected.end(), [](const Rejected& one) {
    return contains(one.why, "does not have the role that the kernel 'fp16x3_wgmma' needs");
  });
  CHECK(said != ranking.rejected.end());
}

TEST_CASE("every device has a valid plan for every shape, within the scratch limit") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  const auto side = [&](std::size_t bits) { return 1 + below(std::size_t{1} << (1 + below(bits))); };
  for (const Device& device : all_kinds()) {
    ConfigCache configs(device, {});
    for (int i = 0; i < 40; ++i) {
      Problem problem = tight(side(13), side(13), side(14));
      problem.batch_count = below(4) == 0 ? 1 + below(50) : 1;
      for (Operand* operand : {&problem.a, &problem.b}) {
        operand->transposed = below(4) == 0;
        if (operand->transposed) operand->ld = operand == &problem.a ? problem.m : problem.k;
        operand->ld += below(3) * below(9);
        operand->offset = below(3) * below(9);
        if (problem.batch_count > 1) operand->stride = problem.m * problem.k + problem.k * problem.n;
      }
      const std::size_t limit = std::size_t{1} << (16 + below(15));
      INFO(fmt::format("{}: {} x {} x {}, batch {}, limit {}", device.name, problem.m, problem.n, problem.k,
                       problem.batch_count, limit));
      const Candidate first = ranked(problem, configs, limit).front();
      REQUIRE(first.seconds);
      CHECK(*first.seconds > 0.0);
      const Plan plan = make_plan(problem, first.config, configs, limit);
      CHECK(plan.scratch_bytes <= limit);
      CHECK(plan.first().gemm().work_items() <= device.max_work_group_size);
    }
  }
}

TEST_CASE("the fast kernels are candidates on GPUs of every vendor") {
  for (const Device& device : made_up_gpus()) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(256, 256, 256), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(128, 128, 65536), tight(333, 77, 1001)}) {
      INFO(fmt::format("{}: {} x {} x {}", device.name, problem.m, problem.n, problem.k));
      const std::vector<Candidate> all = ranked(problem, configs);
      CHECK(std::any_of(all.begin(), all.end(), [](const Candidate& one) {
        return one.config.kernel == "direct" || one.config.kernel == "block_2d";
      }));
    }
  }
}

TEST_CASE("CPUs with at least 32 KiB of local memory get panels that leave room, with any vector width") {
  for (const Device& device : all_kinds()) {
    if (device.kind != DeviceKind::cpu) continue;
    ConfigCache configs(device, {});
    INFO(fmt::format("{} KiB, vectors of {}", device.local_bytes / 1024, device.native_float_width));
    const Config best = ranked(tight(1000, 700, 300), configs).front().config;
    REQUIRE(best.kernel == "panels");
    const std::int64_t bytes = 4 * best.parameters.at("KC") * best.parameters.at("NC");
    CHECK(8 * bytes <= 5 * static_cast<std::int64_t>(device.local_bytes));
    CHECK(best.parameters.at("WIDTH") <=
          std::max<std::int64_t>(4, static_cast<std::int64_t>(device.native_float_width)));
  }
}

TEST_CASE("few rows and a transposed B, as in a linear layer, get deep panels") {
  Device device = made_up_cpu();
  device.local_bytes = 1024 * 1024;
  device.native_float_width = 16;
  ConfigCache configs(device, {});
  for (const std::size_t rows : {2U, 8U, 20U}) {
    Problem problem = tight(rows, 3000, 3000);
    problem.b.transposed = true;
    const Config best = ranked(problem, configs).front().config;
    REQUIRE(best.kernel == "panels");
    CHECK(best.parameters.at("KC") >= 256);
  }
}

TEST_CASE("a C of one row is computed as one column") {
  const Device device = made_up_cpu();
  ConfigCache configs(device, {});
  const Candidate best = ranked(tight(1, 4000, 3000), configs).front();
  CHECK(best.config.kernel == "matrix_vector");
  CHECK(best.config.as_transpose);
  CHECK_FALSE(ranked(tight(4000, 1, 3000), configs).front().config.as_transpose);
  CHECK(ranked(tight(2, 4000, 3000), configs).front().config.kernel == "panels");
}

TEST_CASE("on an H200 the same kernel computes one row and one column") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  for (const Problem& problem : {tight(1, 4096, 11008), tight(1, 4096, 4096)}) {
    for (const bool transposed : {false, true}) {
      Problem row = problem;
      row.b.transposed = transposed;
      if (transposed) row.b.ld = row.k;
      const Config best = ranked(row, configs).front().config;
      INFO(row.n << " columns, k " << row.k << (transposed ? ", B transposed" : ""));
      CHECK(best.kernel == "gemv");
      CHECK(best.as_transpose);
    }
  }
  CHECK(ranked(tight(4096, 1, 4096), configs).front().config.kernel == "gemv");
  CHECK(ranked(tight(4096, 2, 4096), configs).front().config.kernel != "gemv");
}

TEST_CASE("if a device computes wrong results with one kernel, another fast kernel remains") {
  for (const Device& device : all_kinds()) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(256, 256, 256), tight(4096, 4096, 4096), tight(128, 128, 65536)}) {
      INFO(fmt::format("{}: {} x {} x {}", device.name, problem.m, problem.n, problem.k));
      std::set<std::string> kernels;
      for (const Candidate& one : ranked(problem, configs)) kernels.insert(one.config.kernel);
      for (const char* slow : {"coalesced", "gemv", "matrix_vector", "thin_rows", "thin_columns"})
        kernels.erase(slow);
      CHECK(kernels.size() >= 2);
    }
  }
}

TEST_CASE("the last candidate runs on any device") {
  Device least;
  least.global_bytes = least.max_allocation_bytes = 1 << 20;
  for (const Device& device : {made_up_gpu(), made_up_cpu(), made_up_gpu_256(), least}) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(1, 1, 1), tight(64, 64, 64), tight(1024, 1024, 1024)}) {
      INFO(device.name);
      const Candidate last = ranked(problem, configs).back();
      CHECK(last.origin.source == Source::anywhere);
      CHECK_NOTHROW(check_plan(make_plan(problem, last.config, configs, no_limit), problem, no_limit));
    }
  }
}

TEST_CASE("a kernel for few rows or columns is not chosen if there are more") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  const auto thin_ones = [&](std::size_t m, std::size_t n) {
    const auto candidates = ranked(tight(m, n, 2000), configs);
    return std::count_if(candidates.begin(), candidates.end(), [](const Candidate& one) {
      return one.config.kernel == "thin_rows" || one.config.kernel == "thin_columns";
    });
  };
  CHECK(thin_ones(16, 3000) > 0);
  CHECK(thin_ones(3000, 16) > 0);
  CHECK(thin_ones(17, 3000) == 0);
  CHECK(thin_ones(3000, 17) == 0);
}

TEST_CASE(
    "a kernel is not chosen if its bound is larger than its precision allows, or if it is for smaller k") {
  const Device device = made_up_hopper();
  ConfigCache configs(device, {});
  for (const std::size_t k : {16U, 31U, 32U, 64U, 65U, 511U, 512U, 4096U}) {
    for (const Candidate& one : ranked(tight(2048, 2048, k), configs)) {
      INFO(k << " " << to_string(one.config));
      CHECK(configs.get(one.config.kernel, one.config.parameters)->manifest().least_k <= k);
      CHECK(configs.get(one.config.kernel, one.config.parameters)->manifest().most_k >= k);
    }
  }
  for (const Candidate& one : ranked(tight(4096, 4096, 4096), configs, no_limit, Precision::fp32))
    CHECK(configs.get(one.config.kernel, one.config.parameters)->manifest().precision == Precision::fp32);
}

// On an H200, in ms, with the best config of each kernel. 4000 x 4000 x 64: 0.038 tf32x3_shallow, 0.056
// tf32x3_wgmma. 128 x 4096 x 1024: 0.0225 tf32x3_wgmma, 0.0326 on fp32 units. 67 x 5445 x 3336: 0.065
// fp16x3_one_packed, 0.072 tf32x3_wgmma. 4096: 0.66 fp16x3_wgmma, 1.35 tf32x3_wgmma, and in fp32 2.64
// block_2d, 3.07 direct. 2048, in fp32: 0.339 and 0.399. 532 x 523 x 684: 0.018 tf32x3_wgmma, and 0.019 to
// 0.028 fp16x3_wgmma, mostly because the host takes so long for its three launches. 820 x 848 x 880: 0.030
// tf32x3_wgmma, 0.022 to 0.025 fp16x3_wgmma.
TEST_CASE(
    "on Hopper three products are chosen if they were measured to be the fastest and their bound allows it") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  const auto kernel = [&](std::size_t m, std::size_t n, std::size_t k, Precision precision) {
    return rank_candidates(tight(m, n, k), configs, shipped_tuning(), no_limit, precision)
        .candidates.front()
        .config.kernel;
  };
  constexpr Precision any = Precision::fp32_equivalent;
  CHECK(kernel(128, 4096, 1024, any) == "tf32x3_wgmma");
  CHECK(kernel(67, 5445, 3336, any) == "fp16x3_one_packed");
  CHECK(kernel(4096, 4096, 4096, any) == "fp16x3_wgmma");
  CHECK(kernel(532, 523, 684, any) == "tf32x3_wgmma");
  CHECK(kernel(820, 848, 880, any) == "fp16x3_wgmma");
  CHECK(kernel(4000, 4000, 64, any) == "tf32x3_shallow");
  CHECK(kernel(4096, 4096, 28, any) == kernel(4096, 4096, 28, Precision::fp32));
  CHECK(kernel(128, 4096, 1024, Precision::fp32) != "tf32x3_wgmma");
  CHECK(kernel(2048, 2048, 2048, Precision::fp32) == "block_2d");
  CHECK(kernel(4096, 4096, 4096, Precision::fp32) == "block_2d");
}

// On an H200, in us: 64 products of 1024 x 1024 x 64 take tf32x3_shallow 142, and the best other kernel 221.
// 134 products of 253 x 630 x 44 with gaps of 1 take it 77, and `direct` 80. 3000 products of 71 x 64 x 57
// take it 106, and `direct` 89.
TEST_CASE("on Hopper tf32x3_shallow is chosen for batches with small k only if there are enough columns") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  const auto kernel = [&](const Problem& problem) {
    return rank_candidates(problem, configs, shipped_tuning(), no_limit).candidates.front().config.kernel;
  };
  CHECK(kernel(test::tight_batch(64, 1024, 1024, 64)) == "tf32x3_shallow");
  Problem with_gaps = test::tight_batch(134, 253, 630, 44);
  with_gaps.a = {false, 45, 0, 45 * 253, 32};
  with_gaps.b = {false, 631, 0, 631 * 44, 32};
  with_gaps.c = {false, 631, 0, 631 * 253, 32};
  CHECK(kernel(with_gaps) == "tf32x3_shallow");
  CHECK(kernel(test::tight_batch(3000, 71, 64, 57)) == "direct");
}

TEST_CASE("unmeasured tensor cores are chosen if their peak is far above that of fp32") {
  const auto first = [](std::size_t sm, std::size_t k, Precision precision) {
    Device device = made_up_hopper();
    device.name = "made-up NVIDIA GPU";
    device.vendor = "NVIDIA Corporation";
    device.nvidia_sm = sm;
    device.compute_units = 108;
    device.clock_mhz = 1410;
    ConfigCache configs(device, {});
    const Candidate best = ranked(tight(4096, 4096, k), configs, no_limit, precision).front();
    CHECK(test::contains(to_string(best.origin), "nothing was measured") ==
          (best.config.kernel == "fp16x3_mma" || best.config.kernel == "tf32x3_mma"));
    return best.config.kernel;
  };
  constexpr Precision any = Precision::fp32_equivalent;
  CHECK(first(80, 4096, any) == "fp16x3_mma");
  CHECK(first(80, 500, any) == "tf32x3_mma");  // k is below least_k of fp16x3_mma
  CHECK(first(80, 31, any) == first(80, 31, Precision::fp32));
  CHECK(first(80, 4096, Precision::fp32) != "fp16x3_mma");
  for (const std::size_t sm : {75U, 86U, 89U}) {  // their rate per clock is at most three times that of fp32
    INFO(sm);
    CHECK(first(sm, 4096, any) == first(sm, 4096, Precision::fp32));
  }
}

TEST_CASE("batches and single GEMMs are ranked only by the times of the speed model") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  const SpeedTable table = shipped_tuning().tables(device).front();
  for (const Problem& problem :
       {tight(1000, 700, 300), tight_batch(10000, 8, 8, 8), tight_batch(2000, 33, 20, 17),
        tight_batch(300, 200, 200, 200), tight_batch(16, 512, 512, 512)}) {
    INFO(fmt::format("{} of {} x {} x {}", problem.batch_count, problem.m, problem.n, problem.k));
    const std::vector<Candidate> all = ranked(problem, configs);
    for (const Candidate& one : all) {
      INFO(to_string(one.config));
      const Plan plan = make_plan(problem, one.config, configs, no_limit);
      const ConfigSpeed speed = table.speed_of(plan.first().gemm());
      CHECK(*one.seconds == predict(plan, speed, table.rates, device.kind).seconds());
      CHECK(*one.seconds >= *all.front().seconds);
    }
  }
}

TEST_CASE("a config with several matrices for each work-group is chosen only for large enough batches") {
  const Device device = made_up_h200();
  ConfigCache configs(device, {});
  for (const std::size_t count : {1u, 3u, 8u, 31u, 1000u}) {
    std::size_t most = 0;
    for (const Candidate& one : ranked(tight_batch(count, 8, 8, 8), configs))
      most = std::max(most, configs.get(one.config.kernel, one.config.parameters)->matrices);
    INFO(count);
    CHECK(most <= count);
    if (count >= 8) CHECK(most > 1);
  }
}

TEST_CASE("every GPU has a config for every batch, in place if the matrices are small, and one for lists") {
  for (const Device& device : made_up_gpus()) {
    ConfigCache configs(device, {});
    for (const std::size_t m : {1u, 5u, 16u, 40u, 100u, 700u}) {
      for (const std::size_t n : {1u, 7u, 31u, 64u, 300u}) {
        for (const std::size_t k : {1u, 8u, 33u, 600u}) {
          Problem problem = tight_batch(500, m, n, k);
          INFO(fmt::format("{}: {} x {} x {}", device.name, m, n, k));
          const Ranking ranking = rank_candidates(problem, configs, shipped_tuning(), no_limit);
          const Plan plan = make_plan(problem, ranking.candidates.front().config, configs, no_limit);
          check_plan(plan, seen_by(plan.config, problem), no_limit);
          CHECK(plan.block_batch == problem.batch_count);
          if (m <= 16 && n <= 64) CHECK(plan.scratch_bytes == 0);
          problem.listed = true;
          for (const Candidate& candidate :
               rank_candidates(problem, configs, shipped_tuning(), no_limit).candidates) {
            const Plan listed = make_plan(problem, candidate.config, configs, no_limit);
            CHECK(listed.first().gemm().manifest().takes_lists());
            CHECK(listed.first().split.slices == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("a ranking depends on what prepare() and explain() know, and is remembered for all of it") {
  const Problem problem = tight_batch(3, 64, 2000, 2000);
  const auto with = [&](auto change) {
    Problem changed = problem;
    change(changed);
    return changed;
  };
  const auto is_the_same = [&](const Problem& other) { return as_planned(other) == as_planned(problem); };
  const Problem alike[] = {
      with([](Problem& one) { one.alpha = one.beta = 2.0f; }),
      with([](Problem& one) { one.a.offset = one.b.offset = 128; }),
      with([](Problem& one) { one.a.stride += 64; }),
      with([](Problem& one) { one.c.offset = one.c.stride = 1; }),
  };
  for (const Problem& other : alike) CHECK(is_the_same(other));
  CHECK_FALSE(is_the_same(with([](Problem& one) { one.b.offset = 4; })));
  CHECK_FALSE(is_the_same(with([](Problem& one) { one.b.stride = 0; })));
  CHECK_FALSE(is_the_same(with([](Problem& one) { one.b.stride += 1; })));
  CHECK_FALSE(is_the_same(with([](Problem& one) { one.c.ld = 2001; })));
  for (const Device& device : {made_up_h200(), made_up_cpu()}) {
    ConfigCache configs(device, {});
    const auto best = [&](const Problem& one) { return ranked(one, configs).front(); };
    for (const Problem& other : alike) {
      CHECK(best(other).config == best(problem).config);
      CHECK(best(other).seconds == best(problem).seconds);
    }
  }
  const Problem apart = with([](Problem& one) { one.a.ld = 4160; });
  const Problem colliding = with([](Problem& one) { one.a.ld = 4096; });  // as far from alignment as 4160
  CHECK_FALSE(as_planned(apart) == as_planned(colliding));
}

TEST_CASE("a batch with more work-groups than the device can count is cut by work-groups, not by matrices") {
  Planner make;
  const Problem problem = tight_batch(10 * max_groups_beyond_first, 8, 8, 8);
  CHECK(make(problem, "coalesced").block_batch == max_groups_beyond_first);
  CHECK(make(problem, Config{"small", {{"MATRICES", 8}}}).block_batch == 8 * max_groups_beyond_first);
}

}  // namespace
}  // namespace clgemm
