// Plans, made without a device: what is packed, where it lies, and how large problems are cut.
#include "plan/plan.hpp"
#include "choose/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "support/made_up.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::made_up_gpu;

constexpr std::size_t no_limit = std::size_t{1} << 31;

// A tight problem, aligned as every buffer is.
Problem tight(std::size_t m, std::size_t n, std::size_t k) {
  Problem problem{m, n, k, 1, 0, {}, {}, {}, 1};
  problem.a = {false, k, 0, 0, 32};
  problem.b = {false, n, 0, 0, 32};
  problem.c = {false, n, 0, 0, 32};
  return problem;
}

struct Planner {
  Device device = made_up_gpu();
  ConfigCache configs{device, {}};

  Plan operator()(const Problem& problem, const std::string& kernel, std::size_t limit = no_limit) {
    return (*this)(problem, Candidate{kernel, {}, "named by a test"}, limit);
  }
  Plan operator()(const Problem& problem, const Candidate& candidate, std::size_t limit = no_limit) {
    return make_plan(problem, candidate, configs, limit);
  }
};

std::size_t packed_rows_a(const Plan& plan) {
  return round_up(plan.block_m, plan.multiply->tile_rows);
}
std::size_t packed_depth(const Plan& plan) {
  return round_up(plan.block_k, plan.multiply->tile_depth);
}
std::size_t packed_columns_b(const Plan& plan) {
  return round_up(plan.block_n, plan.multiply->tile_columns);
}

// Of a plan where one launch packs both operands: the copies and the notes lie one behind the other in
// scratch.
void check_planes(const Plan& plan) {
  const std::size_t a_end =
      plan.a.scratch_offset + packed_size(*plan.pack_both, packed_rows_a(plan), packed_depth(plan));
  const std::size_t b_end =
      plan.b.scratch_offset + packed_size(*plan.pack_both, packed_columns_b(plan), packed_depth(plan));
  CHECK(a_end <= plan.b.scratch_offset);
  CHECK(b_end <= plan.notes_offset);
  CHECK(plan.a_groups >= 1);
  CHECK(plan.b_groups >= 1);
  const std::size_t notes = 2 * (plan.a_groups + plan.b_groups);
  CHECK((plan.notes_offset + notes) * sizeof(float) <= plan.scratch_bytes);
  CHECK(plan.a.pack == nullptr);
  CHECK(plan.b.pack == nullptr);
  CHECK(plan.otherwise != nullptr);
}

// What must be true of every plan.
void check_plan(const Plan& plan, const Problem& problem, std::size_t limit) {
  const KernelConfig& kernel = *plan.multiply;
  CHECK(plan.scratch_bytes <= limit);
  const auto check_block = [](std::size_t block, std::size_t size, std::size_t tile) {
    CHECK(block >= 1);
    CHECK(block <= size);
    CHECK(block <= max_block);
    if (block < size) CHECK(block % tile == 0);  // whole tiles, so that every later block starts at one
  };
  check_block(plan.block_m, problem.m, kernel.tile_rows);
  check_block(plan.block_n, problem.n, kernel.tile_columns);
  check_block(plan.block_k, problem.k, kernel.tile_depth);

  const auto check_operand = [&kernel](const OperandPlan& operand, const Operand& source, std::size_t rows,
                                       std::size_t columns, std::size_t tile_rows, std::size_t tile_columns,
                                       std::size_t least_ld) {
    if (operand.pack) {
      CHECK_FALSE(kernel.is_direct());
      CHECK(operand.ld >= least_ld);
      CHECK(operand.ld % kernel.align == 0);
      CHECK(operand.scratch_offset % kernel.align == 0);
      CHECK(operand.pack->build_options.find(source.transposed ? "-DTRANSPOSE=1" : "-DTRANSPOSE=0") !=
            std::string::npos);
    } else if (!kernel.is_direct() && kernel.manifest().otherwise.empty()) {
      CHECK_FALSE(source.transposed);
      CHECK(rows % tile_rows == 0);
      CHECK(columns % tile_columns == 0);
      CHECK(source.ld % kernel.align == 0);
      CHECK(source.offset % kernel.align == 0);
      CHECK(source.base_alignment % kernel.align == 0);
    }
  };
  check_operand(plan.a, problem.a, problem.m, problem.k, kernel.tile_rows, kernel.tile_depth,
                packed_depth(plan));
  check_operand(plan.b, problem.b, problem.k, problem.n, kernel.tile_depth, kernel.tile_columns,
                packed_columns_b(plan));

  CHECK(plan.group_rows <= kernel.tile_rows);
  CHECK(plan.group_columns <= kernel.tile_columns);
  if (kernel.manifest().takes_shares()) {
    CHECK(plan.group_rows % kernel.share_rows == 0);
    CHECK(plan.group_columns % kernel.share_columns == 0);
  } else {
    CHECK(plan.group_rows == kernel.tile_rows);
    CHECK(plan.group_columns == kernel.tile_columns);
  }

  // Parts of k that cover it, begin at whole steps and lie behind the packed copies, inside the scratch
  // buffer.
  const SplitPlan& split = plan.split;
  const std::size_t depth = kernel.is_direct() ? plan.block_k : packed_depth(plan);
  CHECK((split.parts > 1) == (split.reduce != nullptr));
  CHECK(split.parts >= 1);
  if (split.reduce) {
    if (!kernel.is_direct()) CHECK(split.depth % kernel.tile_depth == 0);
    CHECK(split.depth % kernel.align == 0);
    CHECK((split.parts - 1) * split.depth < depth);
    CHECK(split.parts * split.depth >= depth);
    CHECK(split.parts <= max_groups_beyond_first);
    CHECK(split.ld >= plan.block_n);
    CHECK(split.ld % 4 == 0);
    CHECK(split.stride >= plan.block_m * split.ld);
    CHECK(split.scratch_offset % 4 == 0);
    CHECK((split.scratch_offset + split.parts * split.stride) * sizeof(float) == plan.scratch_bytes);
    CHECK(plan.block_batch == 1);
  }

  // The packed copies lie beside each other, inside the scratch buffer.
  const std::size_t a_end = plan.a.pack ? plan.a.scratch_offset + packed_rows_a(plan) * plan.a.ld : 0;
  const std::size_t b_end = plan.b.pack ? plan.b.scratch_offset + packed_depth(plan) * plan.b.ld : 0;
  CHECK(std::max(a_end, b_end) * sizeof(float) <= plan.scratch_bytes);
  if (plan.a.pack && plan.b.pack) {
    CHECK((a_end <= plan.b.scratch_offset || b_end <= plan.a.scratch_offset));
  }
  if (split.reduce) CHECK(std::max(a_end, b_end) <= split.scratch_offset);
  if (plan.pack_both) {
    check_planes(plan);
  } else if (!plan.a.pack && !plan.b.pack && !split.reduce) {
    CHECK(plan.scratch_bytes == 0);
  }
}

// Bytes that one tile of A and one of B take in scratch: the least that a plan which packs both can do with.
std::size_t tile_bytes(const KernelConfig& kernel) {
  return sizeof(float) * (round_up(kernel.tile_rows * kernel.tile_depth, 64) +
                          round_up(kernel.tile_depth * kernel.tile_columns, 64));
}

// The same for any kernel: planes take more, and packing that leaves notes.
std::size_t least_scratch_bytes(Planner& make, const std::string& kernel) {
  const KernelConfig& config = *make.configs.get(kernel, {}, {});
  if (config.manifest().otherwise.empty()) return tile_bytes(config);
  const KernelConfig& pack = *make.configs.get("pack_both_" + config.manifest().operands, {}, {});
  const std::size_t notes = 2 * 64;  // one work-group for each operand, rounded up
  return sizeof(float) * (packed_size(pack, config.tile_rows, config.tile_depth) +
                          packed_size(pack, config.tile_columns, config.tile_depth) + notes);
}

TEST_CASE("operands that fit are used where they lie") {
  Planner make;
  const Plan plan = make(tight(64, 96, 32), "wpt");
  CHECK(plan.a.pack == nullptr);
  CHECK(plan.b.pack == nullptr);
  CHECK(plan.scratch_bytes == 0);
  CHECK(plan.block_m == 64);
  CHECK(plan.block_n == 96);
  CHECK(plan.block_k == 32);
}

TEST_CASE("one that does not fit is packed, and only that one") {
  Planner make;
  const auto packs = [&make](const Problem& problem, bool a, bool b) {
    const Plan plan = make(problem, "vector");  // 32 x 32 x 32, align 4
    check_plan(plan, problem, no_limit);
    CHECK((plan.a.pack != nullptr) == a);
    CHECK((plan.b.pack != nullptr) == b);
  };
  packs(tight(64, 64, 64), false, false);
  packs(tight(63, 64, 64), true, false);
  packs(tight(64, 63, 64), false, true);
  packs(tight(64, 64, 63), true, true);
  Problem problem = tight(64, 64, 64);
  problem.a.transposed = true;
  packs(problem, true, false);
  problem = tight(64, 64, 64);
  problem.b.ld = 66;  // rows that no float4 begins at
  packs(problem, false, true);
  problem.b.ld = 68;
  packs(problem, false, false);
  problem.a.offset = 2;
  packs(problem, true, false);
  problem.a.offset = 4;
  packs(problem, false, false);
  problem.b.base_alignment = 1;
  packs(problem, false, true);
}

TEST_CASE("the size of the packed copies is that of whole tiles") {
  Planner make;
  const Plan plan = make(tight(33, 65, 1), "wpt");  // 32 x 32 x 32
  CHECK(plan.a.ld == 32);
  CHECK(plan.b.ld == 96);
  CHECK(plan.scratch_bytes == sizeof(float) * (64 * 32 + 32 * 96));
}

TEST_CASE("direct kernels pack nothing and know the transposes") {
  Planner make;
  Problem problem = tight(63, 17, 5);
  problem.b.transposed = true;
  problem.b.ld = 5;
  const Plan plan = make(problem, "coalesced", 1);
  check_plan(plan, problem, 0);
  CHECK(plan.multiply->build_options.find("-DTRANSPOSE_A=0 -DTRANSPOSE_B=1") != std::string::npos);
}

TEST_CASE("a direct kernel with an alignment is told whether both operands have it") {
  Planner make;
  const auto aligned = [&make](const Problem& problem) {
    const Plan plan = make(problem, "direct");  // align 4
    check_plan(plan, problem, no_limit);
    return plan.multiply->macros.at("ALIGNED") == 1;
  };
  const auto changed = [&aligned](const auto& change) {
    Problem problem = tight(64, 64, 64);
    change(problem);
    return aligned(problem);
  };
  CHECK(aligned(tight(64, 64, 64)));
  CHECK(aligned(tight(63, 64, 64)));        // no line of A or B is of m elements
  CHECK_FALSE(aligned(tight(64, 62, 64)));  // those of B are of n
  CHECK_FALSE(aligned(tight(64, 64, 63)));  // those of A of k
  CHECK(changed([](Problem& problem) { problem.b.ld = 68; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.b.ld = 66; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.a.ld = 65; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.a.offset = 2; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.b.offset = 1; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.b.stride = 4097; }));
  CHECK_FALSE(changed([](Problem& problem) { problem.a.base_alignment = 1; }));
  Problem transposed = tight(62, 64, 63);
  transposed.a.transposed = true;
  transposed.a.ld = 64;
  CHECK_FALSE(aligned(transposed));  // lines of m elements
  transposed.m = 60;
  CHECK(aligned(transposed));
  CHECK(make(tight(64, 64, 64), "coalesced").multiply->macros.count("ALIGNED") == 0);
}

TEST_CASE("the caller's parameters are in the plan") {
  Planner make;
  CHECK(make(tight(8, 8, 8), Candidate{"tiled", {{"TS", 32}}, {}}).multiply->values.at("TS") == 32);
  CHECK_ERROR(
      [&] {
        make(tight(8, 8, 8), Candidate{"tiled", {{"TS", 33}}, {}});
      },
      invalid_parameter, "TS=33");
}

TEST_CASE("kernels that do not multiply, and unknown ones, are refused") {
  Planner make;
  CHECK_ERROR([&] { make(tight(8, 8, 8), "pack_padded"); }, kernel_not_found, "pack_padded");
  CHECK_ERROR([&] { make(tight(8, 8, 8), "scale"); }, kernel_not_found, "scale");
  CHECK_ERROR([&] { make(tight(8, 8, 8), "nosuch"); }, kernel_not_found, "nosuch");
}

TEST_CASE("a scratch limit cuts the problem into blocks of whole tiles") {
  Planner make;
  const Problem problem = tight(1000, 777, 555);
  const std::size_t limit = 256 * 1024;
  const Plan plan = make(problem, "wpt", limit);
  check_plan(plan, problem, limit);
  CHECK(plan.block_m * plan.block_n * plan.block_k < problem.m * problem.n * problem.k);
  CHECK(plan.scratch_bytes > limit / 4);  // no smaller than need be
}

TEST_CASE("the limit of one tile of A and B is enough, one byte less is out of memory") {
  Planner make;
  for (const char* kernel : {"tiled", "wpt", "block_1d", "block_1d_256", "float4", "float8"}) {
    for (const Problem& problem :
         {tight(999, 777, 555), tight(63, 63, 63), tight(3, 5, 7), tight(1, 999, 15)}) {
      INFO(kernel << " " << problem.m << " " << problem.n << " " << problem.k);
      const std::size_t least = tile_bytes(*make(problem, kernel).multiply);
      CHECK_NOTHROW(check_plan(make(problem, kernel, least), problem, least));
      CHECK_ERROR([&] { make(problem, kernel, least - 1); }, out_of_memory, std::to_string(least));
    }
  }
}

TEST_CASE("by default, a quarter of the device's memory is the limit, and an allocation another") {
  Device device = made_up_gpu();
  device.global_bytes = 4 << 20;
  CHECK(default_scratch_limit(device) == 1 << 20);
  device.max_allocation_bytes = 1 << 18;
  CHECK(default_scratch_limit(device) == 1 << 18);
}

TEST_CASE("sizes beyond 32 bits are cut into blocks that a kernel can count") {
  Planner make;
  for (const char* kernel : {"coalesced", "wpt", "block_1d"}) {
    const Problem problem = tight((std::size_t{1} << 31) + 5, 3, (std::size_t{1} << 33) + 1);
    check_plan(make(problem, kernel), problem, no_limit);
  }
}

TEST_CASE("random problems, kernels and limits make valid plans") {
  std::mt19937 random(20240229);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  Planner make_for_gpu;
  Planner make_for_cpu{test::made_up_cpu()};
  Planner make_for_hopper{test::made_up_hopper()};
  std::vector<std::string> kernels;
  KernelLibrary library;
  for (const std::string& name : library.names(Role::multiply)) {
    kernels.push_back(name);
    for (const auto& variant : library.find(name).file->manifest.variants) kernels.push_back(variant.name);
  }
  std::size_t splits[2] = {0, 0};  // wanted by the caller, and by the rule
  for (int i = 0; i < 3000; ++i) {
    // Sizes of every magnitude up to 2^15, half of them multiples of 64.
    const auto size = [&] {
      const std::size_t raw = 1 + below(std::size_t{1} << (1 + below(15)));
      return below(2) == 0 ? raw : round_up(raw, 64);
    };
    Problem problem = tight(size(), size(), size());
    for (Operand* operand : {&problem.a, &problem.b}) {
      operand->transposed = below(4) == 0;
      if (operand->transposed) operand->ld = operand == &problem.a ? problem.m : problem.k;
      operand->ld += below(3) * below(9);
      operand->offset = below(3) * below(9);
      operand->base_alignment = std::size_t{1} << below(6);
    }
    const std::string& kernel = kernels[below(kernels.size())];
    const std::int64_t parts = below(2) == 0 ? 0 : 1 + static_cast<std::int64_t>(below(200));
    if (below(4) == 0) problem.batch_count = 1 + below(3);
    const std::size_t limit = std::size_t{1} << (14 + below(15));
    const std::string device = test::suitable_device(library, kernel).name;
    Planner& make = device == make_for_cpu.device.name      ? make_for_cpu
                    : device == make_for_hopper.device.name ? make_for_hopper
                                                            : make_for_gpu;
    INFO(fmt::format("{}: {} x {} x {}, limit {}, parts {}", kernel, problem.m, problem.n, problem.k, limit,
                     parts));
    try {
      const bool can_split = device != make_for_hopper.device.name;
      const Parameters parameters = can_split ? Parameters{{split_parameter, parts}} : Parameters{};
      const Plan plan = make(problem, Candidate{kernel, parameters, "random"}, limit);
      check_plan(plan, problem, limit);
      if (plan.split.reduce) ++splits[parts == 0];
      if (can_split && parts != 0) CHECK(plan.split.parts <= static_cast<std::size_t>(parts));
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == ErrorCode::out_of_memory);
      CHECK(limit < least_scratch_bytes(make, kernel));
    }
  }
  CHECK(splits[0] > 100);
  CHECK(splits[1] > 50);
}

TEST_CASE("a C of few tiles is done in parts of k, where they pay and fit") {
  Planner make;  // 64 compute units
  const auto parts = [&make](const Problem& problem, std::size_t limit = no_limit) {
    const Plan plan = make(problem, "block_2d", limit);  // tiles of 128 x 128 x 8
    check_plan(plan, problem, limit);
    return plan.split.parts;
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
  Planner make{test::made_up_cpu()};
  CHECK(make(tight(8, 8, 65536), "coalesced").split.parts == 1);
  CHECK(make(tight(8, 8, 65536), Candidate{"coalesced", {{split_parameter, 4}}, {}}).split.parts == 4);
}

TEST_CASE("a device that cannot add up parts does k in one, unless they were asked for") {
  Device device = made_up_gpu();
  device.max_work_group_size = 128;
  Planner make{device};
  const Problem deep = tight(8, 8, 65536);
  const auto narrow = [](std::int64_t parts) {
    return Candidate{"coalesced", {{"ROWS", 1}, {"COLUMNS", 32}, {split_parameter, parts}}, {}};
  };
  CHECK(make(deep, narrow(0)).split.parts == 1);
  CHECK(make(deep, narrow(0)).scratch_bytes == 0);
  CHECK_ERROR([&] { make(deep, narrow(4)); }, device_limit_exceeded, "reduce_parts");
}

TEST_CASE("CPUs with any local memory from 32 KiB on, and any vectors, get panels") {
  for (const std::size_t kibibytes : {32u, 64u, 256u, 512u, 1024u, 2048u}) {
    for (const std::size_t width : {1u, 4u, 8u, 16u}) {
      Device device = test::made_up_cpu();
      device.local_bytes = kibibytes * 1024;
      device.native_float_width = width;
      INFO(fmt::format("{} KiB, vectors of {}", kibibytes, width));
      Planner make{device};
      const Problem problem = tight(1000, 700, 300);
      const Candidate best = candidates(problem, device).front();
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
    Device device = test::made_up_cpu();
    device.local_bytes = expected.kibibytes * 1024;
    for (const std::size_t width : {8u, 16u}) {
      device.native_float_width = width;
      INFO(fmt::format("{} KiB, vectors of {}, A transposed: {}", expected.kibibytes, width,
                       expected.transposed_a));
      Planner make{device};
      for (Problem problem : {tight(1000, 700, 300), tight(4096, 4096, 4096), tight(33, 3, 2049)}) {
        problem.a.transposed = expected.transposed_a;
        if (expected.transposed_a) problem.a.ld = problem.m;
        const Candidate best = candidates(problem, device).front();
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
  Device device = test::made_up_cpu();
  device.local_bytes = 2 * 1024 * 1024;
  const auto parameters_of = [&](const Problem& problem) {
    const Candidate best = candidates(problem, device).front();
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

TEST_CASE("the largest shares of a kernel are no more than a device can count") {
  Planner make{test::made_up_cpu()};
  const KernelConfig& kernel = *make.configs.get("panels", {}, {});
  REQUIRE(kernel.tile_rows % kernel.share_rows != 0);
  const Plan plan = make(tight(kernel.tile_rows * max_groups_beyond_first, 1, 1), "panels");
  CHECK((plan.block_m + plan.group_rows - 1) / plan.group_rows <= max_groups_beyond_first);
}

TEST_CASE("shares keep every compute unit busy to the end") {
  for (const std::size_t units : {1u, 2u, 3u, 8u, 12u, 64u, 128u}) {
    Device device = test::made_up_cpu();
    device.compute_units = units;
    Planner make{device};
    for (const Problem& problem : {tight(1024, 1024, 1024), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(4097, 1031, 77), tight(200, 5000, 300), tight(5000, 200, 300)}) {
      INFO(fmt::format("{} units: {} x {} x {}", units, problem.m, problem.n, problem.k));
      const Plan plan = make(problem, candidates(problem, device).front());
      check_plan(plan, problem, no_limit);
      const auto groups = [](std::size_t size, std::size_t share) { return (size + share - 1) / share; };
      const std::size_t count = groups(problem.m, plan.group_rows) * groups(problem.n, plan.group_columns);
      const std::size_t turns = groups(count, units);
      const double busiest = static_cast<double>(turns * plan.group_rows * plan.group_columns * units);
      const double all = static_cast<double>(problem.m * problem.n);
      CHECK(busiest / all < 1.25);
    }
  }
}

TEST_CASE("a C of one row is computed as one column") {
  const Problem problem = tight(1, 1000, 300);
  const Device device = test::made_up_cpu();
  const Candidate best = candidates(problem, device).front();
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
  CHECK_FALSE(candidates(tight(1000, 1, 300), device).front().mirrored);
  CHECK(candidates(tight(2, 1000, 300), device).front().kernel == "panels");
}

TEST_CASE("the last candidate runs on any device, and one of them on each") {
  Device least;
  least.global_bytes = least.max_allocation_bytes = 1 << 20;
  for (const Device& device : {made_up_gpu(), test::made_up_cpu(), test::made_up_gpu_256(), least}) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(1, 1, 1), tight(64, 64, 64), tight(1024, 1024, 1024)}) {
      const std::vector<Candidate> all = candidates(problem, device);
      REQUIRE_FALSE(all.empty());
      INFO(device.name);
      CHECK_NOTHROW(check_plan(make_plan(problem, all.back(), configs, no_limit), problem, no_limit));
    }
  }
}

TEST_CASE("a GPU of 256 work-items has a candidate better than the last") {
  const Device device = test::made_up_gpu_256();
  ConfigCache configs(device, {});
  const Problem problem = tight(1024, 1024, 1024);
  const std::vector<Candidate> all = candidates(problem, device);
  std::size_t usable = 0;
  for (const Candidate& candidate : all) {
    if (&candidate == &all.back()) break;
    try {
      make_plan(problem, candidate, configs, no_limit);
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
    check_plan(make_plan(problem, candidate, configs, no_limit), problem, no_limit);
    return true;
  } catch (const Error& error) {
    CHECK(
        (error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed));
    return false;
  }
}

TEST_CASE("the fast kernels are among what GPUs of every maker are given and allow") {
  for (const Device& device : test::made_up_gpus()) {
    ConfigCache configs(device, {});
    for (const Problem& problem : {tight(256, 256, 256), tight(1000, 1000, 1000), tight(4096, 4096, 4096),
                                   tight(128, 128, 65536), tight(333, 77, 1001)}) {
      INFO(fmt::format("{}: {} x {} x {}", device.name, problem.m, problem.n, problem.k));
      std::size_t allowed = 0;
      for (const Candidate& candidate : candidates(problem, device)) {
        if (candidate.kernel != "direct" && candidate.kernel != "block_2d") continue;
        if (is_allowed(candidate, problem, configs)) ++allowed;
      }
      CHECK(allowed >= 1);
    }
  }
}

// Every combination of a kernel's values.
std::vector<Parameters> all_values(const Manifest& manifest) {
  std::vector<Parameters> result = {{}};
  for (const auto& parameter : manifest.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& values : result) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(values);
        longer.back()[parameter.name] = value;
      }
    }
    result = std::move(longer);
  }
  return result;
}

TEST_CASE("block_2d and direct have many configs that GPUs of every maker allow") {
  KernelLibrary library;
  for (const char* kernel : {"block_2d", "direct"}) {
    const std::vector<Parameters> all = all_values(library.find(kernel).file->manifest);
    for (const Device& device : test::made_up_gpus()) {
      const auto fits = [&](const Parameters& values) {
        try {
          configure(library.find(kernel), values, {}, device);
          return true;
        } catch (const Error&) {
          return false;
        }
      };
      const auto count = std::count_if(all.begin(), all.end(), fits);
      INFO(kernel << " on " << device.name << ": " << count << " of " << all.size());
      CHECK(count >= 10);
    }
  }
}

TEST_CASE("small problems are not packed") {
  Planner make;
  const auto ranked = ranked_candidates(tight(31, 17, 5), make.configs, Tuning{}, no_limit);
  CHECK(make(tight(31, 17, 5), ranked.front()).scratch_bytes == 0);
}

TEST_CASE("the same problem makes the same plan") {
  Planner make;
  const Problem problem = tight(1000, 77, 555);
  const Plan first = make(problem, "wpt", 100000);
  const Plan second = make(problem, "wpt", 100000);
  CHECK(first.multiply == second.multiply);
  CHECK(first.block_m == second.block_m);
  CHECK(first.block_n == second.block_n);
  CHECK(first.block_k == second.block_k);
}

}  // namespace
}  // namespace clgemm
