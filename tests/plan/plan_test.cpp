// Plans without a device: which operands are packed, the offsets of the copies, and a valid plan for any
// problem.
#include "plan/make_plan.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <random>
#include <utility>

#include "base/sizes.hpp"
#include "plan/blocks.hpp"
#include "support/made_up.hpp"
#include "support/plans.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("operands that already have the right form are used in place") {
  Planner make;
  const Plan plan = make(tight(64, 96, 32), "wpt");
  CHECK_FALSE(plan.first().has(ProgramRole::pack_a));
  CHECK_FALSE(plan.first().has(ProgramRole::pack_b));
  CHECK(plan.scratch_bytes == 0);
  CHECK(plan.block_m == 64);
  CHECK(plan.block_n == 96);
  CHECK(plan.block_k == 32);
}

TEST_CASE("only an operand that does not have the right form is packed") {
  Planner make;
  const auto packs = [&make](const Problem& problem, bool a, bool b) {
    const Plan plan = make(problem, "vector");  // 32 x 32 x 32, align 4
    check_plan(plan, problem, no_limit);
    CHECK(plan.first().has(ProgramRole::pack_a) == a);
    CHECK(plan.first().has(ProgramRole::pack_b) == b);
  };
  packs(tight(64, 64, 64), false, false);
  packs(tight(63, 64, 64), true, false);
  packs(tight(64, 63, 64), false, true);
  packs(tight(64, 64, 63), true, true);
  Problem problem = tight(64, 64, 64);
  problem.a.transposed = true;
  packs(problem, true, false);
  problem = tight(64, 64, 64);
  problem.b.ld = 66;  // no row but the first is aligned to a float4
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
  CHECK(plan.first().a.ld == 32);
  CHECK(plan.first().b.ld == 96);
  CHECK(plan.scratch_bytes == sizeof(float) * (64 * 32 + 32 * 96));
}

TEST_CASE("kernels that read in place pack nothing and know the transposes") {
  Planner make;
  Problem problem = tight(63, 17, 5);
  problem.b.transposed = true;
  problem.b.ld = 5;
  const Plan plan = make(problem, "coalesced", 1);
  check_plan(plan, problem, 0);
  CHECK(plan.first().gemm().build_options.find("-DTRANSPOSE_A=0 -DTRANSPOSE_B=1") != std::string::npos);
}

TEST_CASE("a kernel that reads in place with an alignment is told which operands have it") {
  Planner make;
  using Aligned = std::pair<bool, bool>;  // for A and B
  const auto aligned = [&make](const Problem& problem) {
    const Plan plan = make(problem, "direct");  // align 4
    check_plan(plan, problem, no_limit);
    const Parameters& macros = plan.first().gemm().macros;
    return Aligned{macros.at("ALIGNED_A") == 1, macros.at("ALIGNED_B") == 1};
  };
  const auto changed = [&aligned](const auto& change) {
    Problem problem = tight(64, 64, 64);
    change(problem);
    return aligned(problem);
  };
  constexpr Aligned both{true, true};
  constexpr Aligned only_a{true, false};
  constexpr Aligned only_b{false, true};
  CHECK(aligned(tight(64, 64, 64)) == both);
  CHECK(aligned(tight(63, 64, 64)) == both);    // no line of A or B has m elements
  CHECK(aligned(tight(64, 62, 64)) == only_a);  // lines of B have n
  CHECK(aligned(tight(64, 64, 63)) == only_b);  // lines of A have k
  CHECK(aligned(tight(64, 62, 63)) == Aligned{false, false});
  CHECK(changed([](Problem& problem) { problem.b.ld = 68; }) == both);
  CHECK(changed([](Problem& problem) { problem.b.ld = 66; }) == only_a);
  CHECK(changed([](Problem& problem) { problem.a.ld = 65; }) == only_b);
  CHECK(changed([](Problem& problem) { problem.a.offset = 2; }) == only_b);
  CHECK(changed([](Problem& problem) { problem.b.offset = 1; }) == only_a);
  CHECK(changed([](Problem& problem) { problem.b.stride = 4097; }) == only_a);
  CHECK(changed([](Problem& problem) { problem.a.base_alignment = 1; }) == only_b);
  Problem transposed = tight(62, 64, 63);
  transposed.a.transposed = true;
  transposed.a.ld = 64;
  CHECK(aligned(transposed) == only_b);  // lines of A have m elements
  transposed.m = 60;
  CHECK(aligned(transposed) == both);
  // Tiles of one column do not matter, because lines have m or k elements. The vector is such a line, too.
  const Parameters of_gemv = make(tight(64, 1, 64), "gemv").first().gemm().macros;
  CHECK(of_gemv.at("ALIGNED_A") == 1);
  CHECK(of_gemv.at("TRANSPOSE_B") == 1);
  CHECK(of_gemv.at("ALIGNED_B") == 1);
  const Parameters none = make(tight(64, 64, 64), "coalesced").first().gemm().macros;
  CHECK(none.count("ALIGNED_A") + none.count("ALIGNED_B") == 0);
}

TEST_CASE("packing uses smaller work-groups if the device allows no larger ones") {
  const auto side_of_packing = [](std::size_t work_group) {
    Device device = made_up_gpu();
    device.max_work_group_size = work_group;
    ConfigCache configs(device, {});
    const Plan plan = make_plan(tight(63, 63, 63), {"tiled", {{"TS", 8}}}, configs, no_limit);
    return plan.first().programs[ProgramRole::pack_a]->values.at("TS");
  };
  CHECK(side_of_packing(64) == 8);
  CHECK(side_of_packing(255) == 8);
  CHECK(side_of_packing(256) == 16);
}

TEST_CASE("k is cut into blocks of whole tiles that a kernel can count") {
  Planner make;
  CHECK(make(tight(4, 4, 100), "coalesced").block_k == 100);
  CHECK(make(tight(4, 4, max_block), "coalesced").block_k == max_block);
  CHECK(make(tight(4, 4, max_block + 1), "coalesced").block_k == max_block);
  Planner on_cpu{made_up_cpu()};
  const Plan thirds =
      on_cpu(tight(4, 4, max_block + 1), Config{"panels", {{"KC", 384}, {"NC", 64}, {"MR", 4}}});
  CHECK(thirds.block_k == max_block - max_block % 384);
}

TEST_CASE(
    "packing with notes has one work-group for each tile, and at most as many as fit on the compute units") {
  const auto groups = [](std::size_t size, std::size_t compute_units) {
    Device device = made_up_hopper();
    device.compute_units = compute_units;
    ConfigCache configs(device, {});
    const Plan plan = make_plan(tight(size, size, size), {"bf16x6_mma", {}}, configs, no_limit);
    const KernelConfig& pack = *plan.first().programs[ProgramRole::pack_both];
    CHECK(plan.first().notes.a_groups == plan.first().notes.b_groups);
    return std::pair(plan.first().notes.a_groups, size / pack.tile_rows * (size / pack.tile_columns));
  };
  const auto [few, all_of_few] = groups(256, 132);
  CHECK(few == all_of_few);
  const auto [many, all_of_many] = groups(8192, 100);
  CHECK(many < all_of_many);
  CHECK(many % 100 == 0);
  CHECK(groups(8192, 50).first * 2 == many);
}

TEST_CASE("the caller's parameters are in the plan") {
  Planner make;
  CHECK(make(tight(8, 8, 8), Config{"tiled", {{"TS", 32}}}).first().gemm().values.at("TS") == 32);
  CHECK_ERROR([&] { make(tight(8, 8, 8), Config{"tiled", {{"TS", 33}}}); }, invalid_parameter, "TS=33");
}

TEST_CASE("kernels that are not GEMM kernels, and unknown ones, are refused") {
  Planner make;
  CHECK_ERROR([&] { make(tight(8, 8, 8), "pack_padded"); }, kernel_not_found, "pack_padded");
  CHECK_ERROR([&] { make(tight(8, 8, 8), "scale"); }, kernel_not_found, "scale");
  CHECK_ERROR([&] { make(tight(8, 8, 8), "nosuch"); }, kernel_not_found, "nosuch");
}

TEST_CASE("random problems, kernels and limits make valid plans") {
  std::mt19937 random(20240229);
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  std::map<std::string, std::unique_ptr<Planner>> planners;  // by the device's name
  std::vector<std::string> kernels;
  KernelLibrary library;
  for (const std::string& name : library.names(Role::gemm)) {
    kernels.push_back(name);
    for (const auto& variant : library.find(name).file->manifest.variants) kernels.push_back(variant.name);
  }
  std::size_t splits = 0;
  for (int i = 0; i < 3000; ++i) {
    // Sizes of every magnitude up to 2^15. Half of them are multiples of 64.
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
    const Device device = suitable_device(library, kernel);
    std::unique_ptr<Planner>& planner = planners[device.name];
    if (!planner) planner.reset(new Planner{device});
    Planner& make = *planner;
    INFO(fmt::format("{}: {} x {} x {}, limit {}, parts {}", kernel, problem.m, problem.n, problem.k, limit,
                     parts));
    try {
      const bool can_split = device.nvidia_sm == 0 && can_split_k(library.find(kernel).file->manifest);
      const Parameters parameters = can_split ? Parameters{{split_parameter, parts}} : Parameters{};
      const Plan plan = make(problem, Config{kernel, parameters}, limit);
      check_plan(plan, problem, limit);
      if (plan.first().has(ProgramRole::reduce)) ++splits;
      CHECK(plan.first().split.slices <= static_cast<std::size_t>(std::max<std::int64_t>(parts, 1)));
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == ErrorCode::out_of_memory);
      CHECK(limit < least_scratch_bytes(make, kernel));
    }
  }
  CHECK(splits > 100);
}

TEST_CASE("the same problem makes the same plan") {
  Planner make;
  const Problem problem = tight(1000, 77, 555);
  const Plan first = make(problem, "wpt", 100000);
  const Plan second = make(problem, "wpt", 100000);
  CHECK(&first.first().gemm() == &second.first().gemm());
  CHECK(first.block_m == second.block_m);
  CHECK(first.block_n == second.block_n);
  CHECK(first.block_k == second.block_k);
}

}  // namespace
}  // namespace clgemm
