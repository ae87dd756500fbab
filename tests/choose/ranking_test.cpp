// What devices of every kind are offered for problems of every shape: that it can be planned, and that the
// fast kernels are among it.
#include "choose/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/shipped.hpp"

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
      CHECK(plan.first().multiply().work_items() <= device.max_work_group_size);
    }
  }
}

TEST_CASE("the fast kernels are among what GPUs of every maker are given") {
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

TEST_CASE("CPUs with any local memory from 32 KiB on, and any vectors, get panels that leave room") {
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

TEST_CASE("a C of one row is computed as one column") {
  const Device device = made_up_cpu();
  ConfigCache configs(device, {});
  const Candidate best = ranked(tight(1, 1000, 300), configs).front();
  CHECK(best.config.kernel == "matrix_vector");
  CHECK(best.config.mirrored);
  CHECK_FALSE(ranked(tight(1000, 1, 300), configs).front().config.mirrored);
  CHECK(ranked(tight(2, 1000, 300), configs).front().config.kernel == "panels");
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

TEST_CASE("a kernel is not chosen where it is not as exact as its precision says") {
  const Device device = made_up_hopper();
  ConfigCache configs(device, {});
  for (const std::size_t k : {16U, 31U, 32U, 511U, 512U, 4096U}) {
    for (const Candidate& one : ranked(tight(2048, 2048, k), configs)) {
      INFO(k << " " << to_string(one.config));
      CHECK(configs.get(one.config.kernel, one.config.parameters, {})->manifest().least_k <= k);
    }
  }
  for (const Candidate& one : ranked(tight(4096, 4096, 4096), configs, no_limit, Precision::fp32))
    CHECK(configs.get(one.config.kernel, one.config.parameters, {})->manifest().precision == Precision::fp32);
}

}  // namespace
}  // namespace clgemm
