// What is chosen by estimated time: over thousands of random shapes and devices of every kind, always a valid
// plan, within the scratch limit, and no shape that costs much more than a larger one.
#include "choose/speed_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <set>

#include "base/sizes.hpp"
#include "choose/ranking.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"

namespace clgemm {
namespace {

using test::tight;

Device device_of(const char* name, DeviceKind kind, std::size_t units, std::size_t clock_mhz,
                 std::size_t items, std::size_t local_kib, std::size_t vector_width) {
  Device result = kind == DeviceKind::cpu ? test::made_up_cpu() : test::made_up_gpu();
  result.name = result.vendor = name;
  result.kind = kind;
  result.compute_units = units;
  result.clock_mhz = clock_mhz;
  result.max_work_group_size = items;
  result.max_work_item_sizes = {items, items, items};
  result.local_bytes = local_kib * 1024;
  result.native_float_width = vector_width;
  return result;
}

// As they describe themselves, or near it.
std::vector<Device> all_kinds() {
  constexpr DeviceKind gpu = DeviceKind::gpu;
  constexpr DeviceKind cpu = DeviceKind::cpu;
  return {
      device_of("AMD", gpu, 60, 1800, 256, 64, 1),       device_of("Intel", gpu, 96, 1300, 512, 64, 1),
      device_of("Mali", gpu, 10, 850, 384, 32, 4),       device_of("H200", gpu, 132, 1980, 1024, 48, 1),
      device_of("PoCL 2", cpu, 2, 2700, 4096, 1024, 16), device_of("PoCL 64", cpu, 64, 2400, 4096, 512, 8),
      device_of("rusticl", cpu, 8, 300, 1024, 32, 4)};
}

struct Chosen {
  Config config;
  Plan plan;
  Prediction predicted;
};

// As the library does it.
Chosen choose(const Problem& problem, ConfigCache& configs, const Tuning& tuning, std::size_t limit) {
  const Candidate first = rank_candidates(problem, configs, tuning, limit).candidates.front();
  Plan plan = make_plan(problem, first.config, configs, limit);
  const Prediction predicted = predict(plan, configs.device());
  return {first.config, std::move(plan), predicted};
}

void check_valid(const Chosen& chosen, const Problem& stated, const Device& device, std::size_t limit) {
  const Problem problem = seen_by(chosen.config, stated);
  const Plan& plan = chosen.plan;
  const KernelConfig& kernel = plan.first().multiply();
  CHECK(plan.scratch_bytes <= limit);
  CHECK(kernel.work_items() <= device.max_work_group_size);
  CHECK(plan.block_m >= 1);
  CHECK(plan.block_m <= problem.m);
  CHECK(plan.block_n <= problem.n);
  CHECK(plan.block_k <= problem.k);
  CHECK(plan.block_batch <= problem.batch_count);
  CHECK(plan.first().group_rows <= kernel.tile_rows);
  CHECK(plan.first().group_columns <= kernel.tile_columns);
  const Prediction& predicted = chosen.predicted;
  CHECK(std::isfinite(predicted.seconds()));
  CHECK(predicted.multiply > 0.0);
  CHECK(predicted.packing >= 0.0);
  CHECK((predicted.packing > 0.0) ==
        (plan.first().has(ProgramRole::pack_a) || plan.first().has(ProgramRole::pack_b)));
  // Nothing is faster than the device.
  const double work = 2.0 * static_cast<double>(stated.m) * static_cast<double>(stated.n) *
                      static_cast<double>(stated.k) * static_cast<double>(stated.batch_count);
  const DeviceRates rates = rates_of(device);
  CHECK(work / predicted.seconds() <= rates.unit_flops * static_cast<double>(device.compute_units));
}

class Shapes {
 public:
  explicit Shapes(std::uint32_t seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_()) % bound; }
  // Of every magnitude, half of them multiples of 16.
  std::size_t side(std::size_t bits) {
    const std::size_t raw = 1 + below(std::size_t{1} << (1 + below(bits)));
    return below(2) == 0 ? raw : round_up(raw, 16);
  }

 private:
  std::mt19937 random_;
};

TEST_CASE("every device has a valid plan for every shape, within the scratch limit") {
  for (const Device& device : all_kinds()) {
    ConfigCache configs(device, {});
    Shapes shapes(7);
    for (int i = 0; i < 500; ++i) {
      Problem problem = tight(shapes.side(13), shapes.side(13), shapes.side(14));
      problem.batch_count = shapes.below(4) == 0 ? 1 + shapes.below(50) : 1;
      for (Operand* operand : {&problem.a, &problem.b}) {
        operand->transposed = shapes.below(4) == 0;
        if (operand->transposed) operand->ld = operand == &problem.a ? problem.m : problem.k;
        operand->ld += shapes.below(3) * shapes.below(9);
        operand->offset = shapes.below(3) * shapes.below(9);
        if (problem.batch_count > 1) operand->stride = problem.m * problem.k + problem.k * problem.n;
      }
      const std::size_t limit = std::size_t{1} << (16 + shapes.below(15));
      INFO(fmt::format("{}: {} x {} x {}, batch {}, limit {}", device.name, problem.m, problem.n, problem.k,
                       problem.batch_count, limit));
      check_valid(choose(problem, configs, Tuning{}, limit), problem, device, limit);
    }
  }
}

// Of two neighbours the larger one costs at least nine tenths of the smaller one, packing and a microsecond
// apart: a shape that needs no packing, of whole tiles, may well be cheaper than the one before it. And it
// costs not much more: a tile row or column in addition (two where work-groups take shares, which differ by
// one), and the packing. k is split by a rule of its own, in whole turns of all compute units, where these
// estimates know no turns: there the margin is wider.
void check_no_cliff(const Chosen& smaller, const Chosen& larger, double added) {
  const double before = smaller.predicted.seconds();
  const double after = larger.predicted.seconds();
  const bool is_split = smaller.plan.first().split.parts > 1 || larger.plan.first().split.parts > 1;
  const bool in_shares = larger.plan.first().multiply().manifest().takes_shares();
  const double most = 1.1 + (in_shares ? 2.0 : 1.0) * added;
  CHECK(after >= (is_split ? 0.7 : 0.9) * (before - smaller.predicted.packing) - 1e-6);
  CHECK(after - larger.predicted.packing <= (is_split ? std::max(most, 1.6) : most) * before);
}

// Up to 16 rows or columns there are kernels that no larger shape can have.
bool leaves_the_thin(std::size_t side, int axis) {
  return axis < 2 && side == 16;
}

// What a work-group does at a time along an axis of the problem.
double side_of_tile(const Chosen& chosen, int axis) {
  if (axis == 2) return static_cast<double>(chosen.plan.first().multiply().tile_depth);
  return static_cast<double>((axis == 0) != chosen.config.mirrored ? chosen.plan.first().group_rows
                                                                   : chosen.plan.first().group_columns);
}

TEST_CASE("no cliff: costs of neighbours in a shape are near each other") {
  for (const Device& device : all_kinds()) {
    ConfigCache configs(device, {});
    const std::size_t limit = default_scratch_limit(device);
    Shapes shapes(11);
    for (int i = 0; i < 400; ++i) {
      const std::size_t size[3] = {shapes.side(12), shapes.side(12), shapes.side(13)};
      const Chosen here = choose(tight(size[0], size[1], size[2]), configs, Tuning{}, limit);
      for (int axis = 0; axis < 3; ++axis) {
        if (leaves_the_thin(size[axis], axis)) continue;
        std::size_t next[3] = {size[0], size[1], size[2]};
        ++next[axis];
        const Chosen there = choose(tight(next[0], next[1], next[2]), configs, Tuning{}, limit);
        INFO(fmt::format("{}: {} x {} x {}: {:.3g} us (packing {:.3g}) {}", device.name, size[0], size[1],
                         size[2], here.predicted.seconds() * 1e6, here.predicted.packing * 1e6,
                         to_string(here.config)));
        INFO(fmt::format("{} x {} x {}: {:.3g} us (packing {:.3g}) {}", next[0], next[1], next[2],
                         there.predicted.seconds() * 1e6, there.predicted.packing * 1e6,
                         to_string(there.config)));
        const double tile = std::max(side_of_tile(here, axis), side_of_tile(there, axis));
        check_no_cliff(here, there, tile / static_cast<double>(size[axis]));
      }
    }
  }
}

// What was measured on an H200 is what the estimates say.
TEST_CASE("on an H200 the estimates choose what was measured to be the fastest") {
  const Device device = all_kinds()[3];
  ConfigCache configs(device, {});
  const auto kernel = [&](std::size_t m, std::size_t n, std::size_t k) {
    return choose(tight(m, n, k), configs, Tuning{}, default_scratch_limit(device)).config.kernel;
  };
  for (const std::size_t size : {256u, 512u, 1000u}) {
    INFO(size);
    CHECK(kernel(size, size, size) == "direct");
  }
  for (const std::size_t size : {2048u, 4096u, 4097u, 8192u}) {
    INFO(size);
    CHECK(kernel(size, size, size) == "block_2d");
  }
  CHECK(kernel(16, 4096, 4096) == "thin_rows");
  CHECK(kernel(4096, 16, 4096) == "thin_columns");
  CHECK(kernel(1024, 1024, 1024) == "direct");  // 35.6 TFLOP/s

  // 31.8 TFLOP/s; in 64 x 64, and in parts that leave a rest of k, it was 12.4.
  const Chosen deep = choose(tight(128, 128, 65536), configs, Tuning{}, default_scratch_limit(device));
  CHECK(deep.config.kernel == "direct");
  CHECK(deep.plan.first().multiply().tile_rows == 64);
  CHECK(deep.plan.first().multiply().tile_columns == 128);
  CHECK(65536 % deep.plan.first().split.depth == 0);
}

// On an H200, TFLOP/s, the large block and the other: 30.1 and 38.4, 47.4 and 45.6, 36.7 and 46.3, 48.8
// and 48.1.
TEST_CASE("a block that fills the registers is taken where its work-groups make whole turns, tuned or not") {
  Device device = all_kinds()[3];
  device.nvidia_sm = 90;
  ConfigCache configs(device, {});
  const std::size_t limit = default_scratch_limit(device);
  TunedEntry large;
  large.size = {4096, 4096, 4096};
  large.config = {"block_2d", {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"WM", 128}, {"WN", 32}, {"GROUP", 16}}};
  large.packs = true;
  large.seconds = 2.81e-3;
  const Tuning tuned({{"", tuned_device(device), {large}}});
  const auto tile_rows = [&](std::size_t size, const Tuning& tuning) {
    const Problem problem = tight(size, size, size);
    const Ranking ranking = rank_candidates(problem, configs, tuning, limit, Precision::fp32);
    std::set<Config> seen;
    for (const Candidate& one : ranking.candidates) CHECK(seen.insert(one.config).second);
    const Config first = ranking.candidates.front().config;
    CHECK(first.kernel == "block_2d");
    return make_plan(problem, first, configs, limit).first().multiply().tile_rows;
  };
  for (const Tuning& tuning : {Tuning{}, tuned}) {
    CHECK(tile_rows(1536, tuning) == 64);
    CHECK(tile_rows(2048, tuning) == 128);
    CHECK(tile_rows(3072, tuning) == 64);
    CHECK(tile_rows(4096, tuning) == 128);
  }
}

TEST_CASE("what is remembered for each shape takes little time to find out") {
  const Device device = all_kinds()[3];
  ConfigCache configs(device, {});
  const Problem problem = tight(1000, 1000, 1000);
  rank_candidates(problem, configs, Tuning{}, default_scratch_limit(device));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) rank_candidates(problem, configs, Tuning{}, default_scratch_limit(device));
  const double each =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 100;
  INFO(each << " us");
  CHECK(each < 1000);  // once a shape; some tens on an idle machine
}

}  // namespace
}  // namespace clgemm
