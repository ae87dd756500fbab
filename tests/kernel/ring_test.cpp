// Simulates the rings of stages of kernels with asynchronous copies (support/ring.hpp), with every number of
// stages that their manifests allow. An error that occurs once in 10,000 calls on a GPU is found here in some
// order of events.
#include "support/ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "kernel/kernel_config.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/shipped.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

// The parameters of a config that affect its ring. If the kernel has no such parameter, it is 1.
struct RingConfig {
  int stages, slices, warps;  // warps that multiply, in each slice

  auto operator<=>(const RingConfig&) const = default;
};

RingConfig ring_of(const KernelConfig& config) {
  const auto value = [&](const char* name, int absent) {
    const auto found = config.values.find(name);
    return found == config.values.end() ? absent : static_cast<int>(found->second);
  };
  const int slices = value("SLICES", 1);
  // Warps that do not multiply.
  const bool has_copiers = config.name == "fp16x3_wgmma" || config.name == "fp16x3_one_packed";
  const int others = has_copiers ? 4 : config.name == "tf32x3_wgmma" ? 4 * slices : 0;
  const int warps = static_cast<int>(config.local[0]) / 32 - others;
  return {value("STAGES", 1), slices, warps / slices};
}

// Returns all rings that the kernel's manifest allows on a Hopper.
std::set<RingConfig> allowed_rings(const std::string& kernel) {
  KernelLibrary library;
  const NamedKernel named = library.find(kernel);
  std::set<RingConfig> result;
  std::vector<Parameters> all = {{}};
  for (const Manifest::Parameter& parameter : named.file->manifest.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& values : all) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(values);
        longer.back()[parameter.name] = value;
      }
    }
    all = std::move(longer);
  }
  for (const Parameters& values : all) {
    try {
      result.insert(ring_of(configure(named, values, made_up_hopper())));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::requirement_failed) throw;
    }
  }
  return result;
}

// common/ring.cl and fp16x3_wgmma: a copier fills stages, and each stage has the barriers `full` and `empty`.
// A slice frees the stage of a step when the next step has arrived, and that of a tile's last step at once.
// The ring goes on from tile to tile, if there is one slice.
Ring planes_ring(const RingConfig& config, int steps, int parts, int tiles = 1) {
  const auto full = [](int stage) { return stage * 2; };
  const auto empty = [](int stage) { return stage * 2 + 1; };
  Ring ring{config.stages, parts, {}, {}};
  for (int stage = 0; stage < config.stages; ++stage)
    ring.arrivals.insert(ring.arrivals.end(), {1, config.warps});

  Actions copier;
  for (int step = 0, stage = 0, parity = 1; step < tiles * steps; ++step) {
    const int phase = step / config.stages;
    copier.push_back(wait_for(empty(stage), parity));
    copier.push_back(expect(full(stage), parts, phase));
    for (int part = 0; part < parts; ++part) copier.push_back(copy(stage, part, step, full(stage)));
    if (++stage == config.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  ring.actors.push_back(copier);

  for (int slice = 0; slice < config.slices; ++slice) {
    Actions multiplier;
    int stage = slice % config.stages;
    int parity = slice / config.stages % 2;
    const auto free = [&](int step) {
      multiplier.push_back(read(step % config.stages, step));
      multiplier.push_back(arrive(empty(step % config.stages), step / config.stages));
    };
    for (int step = slice; step < tiles * steps; step += config.slices) {
      multiplier.push_back(wait_for(full(stage), parity));
      if (step % steps >= config.slices) free(step - config.slices);
      if (step % steps + config.slices >= steps) free(step);
      stage += config.slices;
      if (stage >= config.stages) {
        stage -= config.stages;
        parity ^= 1;
      }
    }
    for (int warp = 0; warp < config.warps; ++warp) ring.actors.push_back(multiplier);
  }
  return ring;
}

// fp16x3_wgmma if the notes say that its planes are not exact. The copier has filled the first half of the
// stages, and nothing multiplies. `waits` says if it waits for the copies in flight.
Ring left_ring(int stages, bool waits) {
  Ring ring{stages, 1, std::vector<int>(static_cast<std::size_t>(stages), 1), {{}}};
  const int first = (stages + 1) / 2;
  for (int stage = 0; stage < first; ++stage) {
    ring.actors[0].push_back(expect(stage, 1, 0));
    ring.actors[0].push_back(copy(stage, 0, stage, stage));
  }
  for (int stage = 0; waits && stage < first; ++stage) ring.actors[0].push_back(wait_for(stage, 0));
  return ring;
}

// The position in a ring of stages, and the parity to wait for.
struct Turn {
  int stage;
  int parity;

  void next(int stages) {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// common/tf32x3.cl with one slice: a splitter copies STAGES - 1 steps ahead, splits a step in place, and
// signals it. One splitter represents all, because they meet before they split. `left_open` is the number of
// groups of copies that it does not wait for.
Ring tf32_ring(const RingConfig& config, int steps, int left_open) {
  const int stages = config.stages;
  const auto full = [](int stage) { return stage * 2; };
  const auto empty = [](int stage) { return stage * 2 + 1; };
  Ring ring{stages, 1, {}, {}};
  for (int stage = 0; stage < stages; ++stage) ring.arrivals.insert(ring.arrivals.end(), {1, config.warps});
  Actions splitter;
  Turn filled{0, 1};
  Turn split{0, 0};
  int ahead = 0;
  for (int step = 1 - stages; step < steps; ++step, ++ahead) {
    if (step >= 0) {
      splitter.insert(splitter.end(), {wait_groups(left_open), read(split.stage, step),
                                       arrive(full(split.stage), step / stages)});
      split.next(stages);
    }
    if (ahead < steps) {
      splitter.insert(splitter.end(),
                      {wait_for(empty(filled.stage), filled.parity), copy(filled.stage, 0, ahead)});
      filled.next(stages);
    }
    splitter.push_back(commit());
  }
  ring.actors.push_back(splitter);
  Actions multiplier;
  Turn turn{0, 0};
  for (int step = 0; step < steps; ++step) {
    multiplier.insert(multiplier.end(), {wait_for(full(turn.stage), turn.parity), read(turn.stage, step),
                                         arrive(empty(turn.stage), step / stages)});
    turn.next(stages);
  }
  for (int warp = 0; warp < config.warps; ++warp) ring.actors.push_back(multiplier);
  return ring;
}

// fp16x3_one_packed: two copiers (one stands for all that copy X, the other copies the planes of Y) fill
// stages, and a multiplier frees a stage after the next one has arrived. The second of three passes over k
// only looks at X, and frees stages at once. All meet after the first pass and after the last.
Ring one_packed_ring(const RingConfig& config, int steps, int passes) {
  const auto full = [](int stage) { return stage * 2; };
  const auto empty = [](int stage) { return stage * 2 + 1; };
  Ring ring{config.stages, 2, {}, {}};
  for (int stage = 0; stage < config.stages; ++stage)
    ring.arrivals.insert(ring.arrivals.end(), {2, config.warps});
  for (int part = 0; part < 2; ++part) {
    Actions copier;
    Turn turn{0, 1};
    for (int step = 0; step < passes * steps; ++step) {
      copier.insert(copier.end(), {wait_for(empty(turn.stage), turn.parity),
                                   expect(full(turn.stage), 1, step / config.stages),
                                   copy(turn.stage, part, step, full(turn.stage))});
      turn.next(config.stages);
      if ((step + 1) % steps == 0 && step / steps != 1) copier.push_back(meet());
    }
    ring.actors.push_back(copier);
  }
  Actions multiplier;
  Turn turn{0, 0};
  const auto free = [&](int step) {
    multiplier.insert(multiplier.end(), {read(step % config.stages, step),
                                         arrive(empty(step % config.stages), step / config.stages)});
  };
  for (int step = 0; step < passes * steps; ++step) {
    multiplier.push_back(wait_for(full(turn.stage), turn.parity));
    turn.next(config.stages);
    const bool is_first = step % steps == 0;
    const bool is_last = (step + 1) % steps == 0;
    const bool looks = step / steps == 1;
    if (!is_first && !looks) free(step - 1);
    if (is_last || looks) free(step);
    if (is_last && !looks) multiplier.push_back(meet());
  }
  for (int warp = 0; warp < config.warps; ++warp) ring.actors.push_back(multiplier);
  return ring;
}

// common/mma.cl: each warp copies its pieces of a step and waits for them before all meet. After the last
// step its copies write zeros. It waits for these at the end because its sums go to the memory of the stages.
Ring mma_ring(const RingConfig& config, int steps, int left_open) {
  Ring ring{config.stages, config.warps, {}, {}};
  for (int warp = 0; warp < config.warps; ++warp) {
    Actions actions;
    for (int step = 0; step < config.stages - 1; ++step) {
      actions.push_back(copy(step, warp, step));
      actions.push_back(commit());
    }
    for (int step = 0, stage = 0; step < steps; ++step) {
      actions.push_back(wait_groups(left_open));
      actions.push_back(meet());
      const int next = (stage + config.stages - 1) % config.stages;
      actions.push_back(copy(next, warp, step + config.stages - 1));
      actions.push_back(read(stage, step));
      actions.push_back(commit());
      stage = (stage + 1) % config.stages;
    }
    actions.push_back(wait_groups(0));
    ring.actors.push_back(actions);
  }
  return ring;
}

Ring mma_ring(const RingConfig& config, int steps) {
  return mma_ring(config, steps, config.stages - 2);
}

constexpr std::size_t most_states = 300000;

TEST_CASE("every mistake in a ring is found") {
  const Ring right{1, 1, {1}, {{expect(0, 1, 0), copy(0, 0, 7, 0)}, {wait_for(0, 0), read(0, 7)}}};
  CHECK(fault_in_any_order(right, 100) == "");
  CHECK(fault_in_random_orders(right, 20, 1) == "");
  const auto fault = [](const Ring& ring) {
    CHECK(fault_in_random_orders(ring, 200, 1).empty() == fault_in_any_order(ring, 100).empty());
    return fault_in_any_order(ring, 100);
  };
  CHECK(fault({1, 1, {1}, {{expect(0, 1, 0), copy(0, 0, 7, 0)}, {wait_for(0, 1), read(0, 7)}}}) ==
        "step 7 is read in stage 0, where what is being copied is");
  CHECK(fault({1, 1, {}, {{copy(0, 0, 7), read(0, 7)}}}) ==
        "step 7 is read in stage 0, where what is being copied is");
  CHECK(fault({1, 1, {}, {{copy(0, 0, 7), commit(), copy(0, 0, 8), commit(), wait_groups(0), read(0, 7)}}}) ==
        "step 7 is read in stage 0, where step 8 is");
  CHECK(fault({1, 2, {1}, {{expect(0, 1, 0), copy(0, 0, 7, 0)}, {wait_for(0, 0), read(0, 7)}}}) ==
        "step 7 is read in stage 0, where nothing is");
  CHECK(fault({1, 1, {1}, {{arrive(0, 0), arrive(0, 0)}}}) ==
        "an arrival at barrier 0 that is meant for its phase 0 counts in phase 1");
  CHECK(fault({1, 1, {2}, {{arrive(0, 0), wait_for(0, 0)}}}) == "actor 0 waits forever");
  CHECK(fault({1, 1, {}, {{meet()}, {}}}) == "actor 0 waits forever");
  CHECK(fault({1, 1, {}, {{copy(0, 0, 7)}}}) == "it ends while copies are under way");
  CHECK(fault({1, 1, {}, {{copy(0, 0, 7), commit(), wait_groups(1)}}}) ==
        "it ends while copies are under way");
  CHECK(
      fault({1, 1, {}, {{copy(0, 0, 7), commit(), wait_groups(0), meet(), read(0, 7)}, {meet(), read(0, 7)}}})
          .empty());
  CHECK_FALSE(
      fault({1, 1, {}, {{meet(), copy(0, 0, 7), commit(), wait_groups(0)}, {meet(), read(0, 7)}}}).empty());
}

TEST_CASE("a stage that is used by several slices is a mistake") {
  for (const auto& [stages, slices] : {std::pair{5, 2}, {3, 2}, {5, 4}, {6, 4}}) {
    INFO(stages << " stages, " << slices << " slices");
    const RingConfig config{stages, slices, 1};
    CHECK_FALSE(fault_in_random_orders(planes_ring(config, 60, 2), 20000, 1).empty());
  }
}

TEST_CASE(
    "the ring of fp16x3_wgmma is right with all values that its manifest allows, and deadlocks with one "
    "stage for each slice") {
  const std::set<RingConfig> rings = allowed_rings("fp16x3_wgmma");
  CHECK(rings.size() >= 8);
  for (const RingConfig& config : rings) {
    INFO(config.stages << " stages, " << config.slices << " slices of " << config.warps << " warps");
    const RingConfig small{config.stages, config.slices, 1};
    const int steps = 2 * config.stages + 1;
    CHECK(fault_in_any_order(planes_ring(small, steps, 1), most_states) == "");
    CHECK(fault_in_random_orders(planes_ring(config, 60, 2), 10, 1) == "");
    for (const int of_tile : {1, config.stages - 1, config.stages + 1}) {
      if (config.slices > 1 || of_tile == 0) continue;
      CHECK(fault_in_any_order(planes_ring(small, of_tile, 1, 4), most_states) == "");
      CHECK(fault_in_random_orders(planes_ring(config, of_tile, 2, 20), 10, 1) == "");
    }
    CHECK(fault_in_any_order(left_ring(config.stages, true), most_states) == "");
    CHECK(contains(fault_in_any_order(left_ring(config.stages, false), most_states), "copies are under way"));
  }
  CHECK(contains(fault_in_any_order(planes_ring({2, 2, 1}, 5, 1), most_states), "waits forever"));
}

TEST_CASE("the ring of tf32x3_wgmma is right with all values that its manifest allows") {
  const std::set<RingConfig> rings = allowed_rings("tf32x3_wgmma");
  CHECK(rings.size() >= 4);
  for (const RingConfig& config : rings) {
    INFO(config.stages << " stages, " << config.warps << " warps");
    const RingConfig small{config.stages, 1, 2};
    for (const int steps : {1, config.stages - 1, config.stages, 2 * config.stages + 1})
      CHECK(fault_in_any_order(tf32_ring(small, steps, config.stages - 2), most_states) == "");
    CHECK(fault_in_random_orders(tf32_ring(config, 60, config.stages - 2), 10, 1) == "");
    CHECK_FALSE(fault_in_any_order(tf32_ring(small, 4, config.stages - 1), most_states).empty());
  }
}

TEST_CASE("the ring of fp16x3_one_packed is right with all values that its manifest allows") {
  const std::set<RingConfig> rings = allowed_rings("fp16x3_one_packed");
  CHECK(rings.size() >= 8);
  for (const RingConfig& config : rings) {
    INFO(config.stages << " stages, " << config.warps << " warps");
    const RingConfig small{config.stages, 1, 1};
    for (const auto& [steps, passes] : {std::pair{1, 3}, {2, 3}, {config.stages + 1, 1}})
      CHECK(fault_in_any_order(one_packed_ring(small, steps, passes), most_states) == "");
    CHECK(fault_in_random_orders(one_packed_ring(config, 60, 1), 10, 1) == "");
    CHECK(fault_in_random_orders(one_packed_ring(config, 19, 3), 10, 1) == "");
  }
  CHECK(contains(fault_in_any_order(one_packed_ring({1, 1, 1}, 3, 1), most_states), "waits forever"));
}

TEST_CASE("configs that the speed model may choose have rings that the manifest allows") {
  KernelLibrary library;
  int rings = 0;
  const SpeedTable table = shipped_tuning().tables(made_up_hopper()).front();
  for (const ConfigRow& candidate : table.rows()) {
    const std::string& kernel = candidate.config.kernel;
    if (kernel.find("_wgmma") == std::string::npos) continue;
    const KernelConfig config =
        configure(library.find(kernel), candidate.config.parameters, made_up_hopper());
    CHECK(allowed_rings(kernel).count(ring_of(config)) == 1);
    ++rings;
  }
  CHECK(rings >= 4);
}

TEST_CASE(
    "the ring of the mma kernels is right with all values that they allow, and wrong if it waits for less") {
  std::set<RingConfig> rings = allowed_rings("bf16x6_mma");
  CHECK(rings.size() >= 6);
  rings.merge(allowed_rings("fp16x3_mma"));
  rings.merge(allowed_rings("fp16x3_mma_k8"));
  for (const RingConfig& config : rings) {
    INFO(config.stages << " stages, " << config.warps << " warps");
    const RingConfig small{config.stages, 1, std::min(config.warps, 2)};
    CHECK(fault_in_any_order(mma_ring(small, config.stages + 3), most_states) == "");
    CHECK(fault_in_random_orders(mma_ring(config, 60), 10, 1) == "");
    for (int steps = 1; steps < config.stages; ++steps)  // k is shorter than the ring
      CHECK(fault_in_random_orders(mma_ring(config, steps), 10, 1) == "");
    CHECK_FALSE(
        fault_in_any_order(mma_ring(small, config.stages + 3, config.stages - 1), most_states).empty());
    CHECK_FALSE(fault_in_random_orders(mma_ring(config, 60, config.stages - 1), 10, 1).empty());
  }
}

}  // namespace
}  // namespace clgemm
