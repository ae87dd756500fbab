// The choice as data. Every candidate has its origin and its expected time, and every skipped config has the
// reason.
#include "choose/choice.hpp"

#include <algorithm>
#include <cmath>

#include "choose/ranking.hpp"
#include "kernel/precision.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/made_up.hpp"
#include "support/shipped.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::contains;

const Problem& square() {
  static const Problem problem = [] {
    Problem result{{1024, 1024, 1024}, 1.0f, 0.0f, {}, {}, {}};
    result.a.ld = result.b.ld = result.c.ld = 1024;
    result.a.base_alignment = result.b.base_alignment = 32;
    return result;
  }();
  return problem;
}

Ranking rank(const Device& device, const Tuning& tuning = test::shipped_tuning()) {
  ConfigCache configs(device, {});
  return rank_candidates(square(), configs, tuning, default_scratch_limit(device));
}

// Returns the built-in data after an entry for a square of 1024 that was measured on `device`.
Tuning tuned(const Device& device, const Config& config) {
  TunedEntry entry;
  entry.size = {1024, 1024, 1024};
  entry.config = config;
  entry.seconds = 1e-3;
  std::vector<TuningFile> files = test::shipped_tuning().files();
  files.insert(files.begin(), {"tuned.json", tuned_device(device), {}, {}, {entry}});
  return Tuning(std::move(files));
}

const Rejected* rejected(const Ranking& ranking, const std::string& kernel) {
  const auto found = std::find_if(ranking.rejected.begin(), ranking.rejected.end(),
                                  [&](const Rejected& one) { return one.config.kernel == kernel; });
  return found == ranking.rejected.end() ? nullptr : &*found;
}

TEST_CASE("every candidate has a predicted time and an origin") {
  for (const Device& device : {test::made_up_gpu(), test::made_up_cpu(), test::made_up_gpu_256()}) {
    INFO(device.name);
    const Ranking ranking = rank(device);
    CHECK(ranking.candidates.size() >= 3);
    for (const Candidate& candidate : ranking.candidates) {
      INFO(to_string(candidate.config));
      REQUIRE(candidate.seconds);
      CHECK(*candidate.seconds > 0.0);
      const bool is_last = &candidate == &ranking.candidates.back();
      CHECK(candidate.origin.source == (is_last ? Source::anywhere : Source::fitted_elsewhere));
      CHECK(contains(to_string(candidate.origin), is_last ? "anywhere" : "from the speed model: "));
    }
  }
}

TEST_CASE("a measured config of the shape comes first, with its file and its measured time") {
  const Device gpu = test::made_up_gpu();
  Device sister = gpu;
  sister.name = "made-up GPU Max";
  const Candidate same = rank(gpu, tuned(gpu, {"wpt", {}})).candidates.front();
  CHECK(same.config == Config{"wpt", {}});
  CHECK(same.origin.source == Source::measured);
  CHECK(contains(to_string(same.origin), "measured: tuned.json"));
  REQUIRE(same.seconds);
  CHECK(std::abs(*same.seconds - 1e-3) < 1e-9);
  CHECK(rank(gpu, tuned(sister, {"wpt", {}})).candidates.front().origin.source == Source::fitted_elsewhere);
}

TEST_CASE("rows of a GPU with the same architecture also tell what its compiler does") {
  Device device = test::made_up_h200();
  device.name = "NVIDIA H100 PCIe";
  const Candidate same = rank(device).candidates.front();
  CHECK(same.origin.source == Source::fitted_on_architecture);
  CHECK_FALSE(is_in_doubt(same));
  device.nvidia_sm = 89;
  const Candidate other = rank(device).candidates.front();
  CHECK(other.origin.source == Source::fitted_elsewhere);
  CHECK(is_in_doubt(other));
}

TEST_CASE("a config that cannot be planned is rejected with the reason instead of ranked") {
  const Device small = test::made_up_gpu_256();
  const auto fault = [&](const Config& config) {
    const Ranking ranking = rank(small, tuned(small, config));
    const Rejected* const found = rejected(ranking, config.kernel);
    REQUIRE(found != nullptr);
    CHECK_FALSE(found->why.empty());
    for (const Candidate& candidate : ranking.candidates) CHECK(candidate.config != config);
    return found->fault;
  };
  CHECK(fault({"no_such_kernel", {}}) == Fault::bad_kernel);
  CHECK(fault({"wpt", {{"TS", 33}}}) == Fault::bad_kernel);
  CHECK(fault({"vector", {{"TS", 64}, {"WIDTH", 4}}}) == Fault::device_limit);  // 1024 work-items
  CHECK(fault({"panels", {}}) == Fault::device_limit);                          // requires a CPU
}

TEST_CASE("a limit on scratch memory rejects kernels that pack") {
  const Device gpu = test::made_up_gpu();
  ConfigCache configs(gpu, {});
  Problem gaps = square();
  gaps.a.ld = gaps.b.ld = 1025;
  Tuning tuning = tuned(gpu, {"wpt", {}});
  std::vector<TuningFile> files = tuning.files();
  files[0].measured[0].size = {1001, 1001, 1001};
  gaps.m = gaps.n = gaps.k = 1001;
  const Ranking ranking = rank_candidates(gaps, configs, Tuning(files), 64);
  const Rejected* const found = rejected(ranking, "wpt");
  REQUIRE(found != nullptr);
  CHECK(found->fault == Fault::no_scratch);
  CHECK(contains(found->why, "the limit is 64"));
}

TEST_CASE("an error that is not the fault of a config rejects no config") {
  CHECK_FALSE(fault_of(ErrorCode::opencl_error));
  CHECK_FALSE(fault_of(ErrorCode::invalid_argument));
  CHECK(fault_of(ErrorCode::self_test_failed) == Fault::wrong_result);
  CHECK(fault_of(ErrorCode::build_failed) == Fault::build_failed);
}

TEST_CASE("a choice in words") {
  const Candidate chosen{{"float8", {}}, {Source::fitted_on_device, "the fastest"}, 2e-3};
  std::vector<Candidate> others(5, Candidate{{"coalesced", {{"ROWS", 1}}}, {Source::anywhere, {}}, {}});
  const std::string text =
      describe(Choice{chosen, others, {{{"panels", {{"KC", 64}}}, Fault::wrong_result, "C[3] is 7"}}});
  CHECK(text ==
        "chosen: from the speed model: the fastest\n"
        "predicted: 2 ms\n"
        "runner-up: coalesced ROWS=1, predicted unknown, runs anywhere\n"
        "runner-up: coalesced ROWS=1, predicted unknown, runs anywhere\n"
        "runner-up: coalesced ROWS=1, predicted unknown, runs anywhere\n"
        "not used: panels KC=64: wrong result: C[3] is 7\n");
  CHECK(contains(describe(Choice{{{"wpt", {}}, {Source::named, {}}, 1e-3}, {}, {}}),
                 "chosen: named by the caller\n"));
  CHECK(contains(describe(Choice{{{"wpt", {}}, {Source::measured, "a.json"}, 1e-3}, {chosen}, {}}),
                 "chosen: measured: a.json\nmeasured: 1 ms\nrunner-up: float8, predicted 2 ms"));
}

TEST_CASE("a precision allows itself and stricter ones") {
  CHECK(allows(Precision::fp32_equivalent, Precision::fp32_equivalent));
  CHECK(allows(Precision::fp32_equivalent, Precision::fp32));
  CHECK(allows(Precision::fp32, Precision::fp32));
  CHECK_FALSE(allows(Precision::fp32, Precision::fp32_equivalent));
  CHECK(to_string(Precision::fp32) == "fp32");
}

}  // namespace
}  // namespace clgemm
