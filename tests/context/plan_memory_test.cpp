// A plan is not computed again, unless something that affects it has changed.
#include "context/plan_memory.hpp"

#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "context/chooser.hpp"
#include "plan/blocks.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;

Problem problem_of(std::size_t size) {
  Problem result{{size, size, size}, 1, 0, {}, {}, {}};
  result.a.ld = result.b.ld = result.c.ld = size;
  return result;
}

PlanKey key_of(std::size_t size) {
  return {problem_of(size), "", 1000, Precision::fp32_equivalent, {}};
}

TEST_CASE("a plan is looked up by everything that it depends on") {
  PlanMemory memory;
  const auto plan = std::make_shared<ChosenPlan>();
  memory.keep(key_of(5), {nullptr, plan, 3});
  CHECK(memory.find(key_of(5)).plan == plan);
  CHECK(memory.find(key_of(5)).excluded == 3);
  CHECK(memory.find(key_of(6)).plan == nullptr);

  std::vector<PlanKey> others(10, key_of(5));
  others[0].precision = Precision::fp32;
  others[1].problem.a.transposed = true;
  others[2].problem.b.offset = 4;
  others[3].problem.a.base_alignment = 4;
  others[4].problem.batch_count = 2;
  others[5].problem.b.stride = 25;
  others[6].kernel_folder = "elsewhere";
  others[7].scratch_limit = 999;
  others[8].named = {"tiled", {}};
  others[9].named = {"tiled", {{"TS", 8}}};
  for (const PlanKey& other : others) {
    CHECK(memory.find(other).plan == nullptr);
    memory.keep(other, {nullptr, std::make_shared<ChosenPlan>(), 0});
  }
  CHECK(memory.size() == 11);
}

TEST_CASE("a ranking and its plan are remembered for a problem, in either order") {
  PlanMemory memory;
  const auto ranking = std::make_shared<Ranking>();
  const auto plan = std::make_shared<ChosenPlan>();
  memory.keep(key_of(5), {ranking, nullptr, 0});
  memory.keep(key_of(5), {nullptr, plan, 2});
  memory.keep(key_of(5), {ranking, nullptr, 0});
  CHECK(memory.size() == 1);
  const Remembered known = memory.find(key_of(5));
  CHECK(known.ranking == ranking);
  CHECK(known.plan == plan);
  CHECK(known.excluded == 2);
}

TEST_CASE("a new plan replaces the oldest one") {
  PlanMemory memory;
  const auto plan = std::make_shared<ChosenPlan>();
  for (std::size_t size = 1; size <= 1100; ++size) memory.keep(key_of(size), {nullptr, plan, 0});
  memory.keep(key_of(1100), {nullptr, plan, 0});  // two threads may have planned it
  CHECK(memory.size() == 1024);
  CHECK(memory.find(key_of(76)).plan == nullptr);
  CHECK(memory.find(key_of(77)).plan != nullptr);
  CHECK(memory.find(key_of(1100)).plan != nullptr);
}

struct OwnChooser {
  ProgramCache programs{shared_cl_context(), shared_device(), shared_device_info(),
                        DiskCache::from_environment()};
  Chooser chooser{shared_cl_context(), shared_device(), shared_device_info(), programs};

  auto operator()(const Problem& problem, const Options& options = {}) {
    return chooser.choose(problem, options, unlimited_scratch, Chooser::Needs::all_stages);
  }
};

TEST_CASE("the chooser plans a shape once") {
  OwnChooser choose;
  const Problem problem = problem_of(67);
  const auto first = choose(problem);
  CHECK(choose(problem) == first);
  CHECK(choose(problem_of(68)) != first);
  CHECK(choose.chooser.choose(problem, {}, 1 << 20, Chooser::Needs::all_stages) != first);

  SECTION("and again if a kernel has been excluded since") {
    CHECK(choose.chooser.exclude(first->choice.chosen.config, {}, "for a test"));
    CHECK(choose(problem)->choice.chosen.config != first->choice.chosen.config);
  }
  SECTION("and again for another kernel folder") {
    const TemporaryFolder folder;
    write_first_choice(folder, "// summary: ", "// summary: ");
    const ScopedVariable kernels("CLGEMM_KERNEL_DIR", folder.path());
    CHECK(choose(problem) != first);
  }
}

TEST_CASE("calls of a shape with other factors, or whose matrices begin elsewhere, share a plan") {
  OwnChooser choose;
  Options named;
  named.kernel = "tiled";
  for (const Options& options : {Options{}, named}) {
    const Problem problem = problem_of(64);
    const auto first = choose(problem, options);
    const auto has_the_same = [&](const auto& change) {
      Problem changed = problem;
      change(changed);
      return choose(changed, options) == first;
    };
    CHECK(has_the_same([](Problem& one) { one.alpha = 0.5f; }));
    CHECK(has_the_same([](Problem& one) { one.beta = -1.0f; }));
    CHECK(has_the_same([](Problem& one) { one.alpha = std::numeric_limits<float>::quiet_NaN(); }));
    CHECK(has_the_same([](Problem& one) { one.a.offset = 128; }));
    CHECK(has_the_same([](Problem& one) { one.c.offset = 7; }));
    CHECK_FALSE(has_the_same([](Problem& one) { one.a.offset = 2; }));
    CHECK_FALSE(has_the_same([](Problem& one) { one.a.ld = 65; }));
  }
  // Blocks of a matrix that begin at any element.
  std::set<std::shared_ptr<const ChosenPlan>> plans;
  for (std::size_t offset = 0; offset < 500; ++offset) {
    Problem problem = problem_of(64);
    problem.b.offset = offset;
    plans.insert(choose(problem));
  }
  CHECK(plans.size() <= 7);  // as many as there are alignments
}

TEST_CASE("a plan that was made without self-tests is tested once they are on") {
  const TemporaryFolder cache;
  const ScopedVariable cache_folder("CLGEMM_CACHE_DIR", cache.path());
  const TemporaryFolder folder;
  write_wrong_first_choice(folder);
  Options options;
  options.kernel_folder = folder.path().string();
  Context context{shared_device()()};
  {
    const ScopedVariable no_tests("CLGEMM_SELF_TEST", "0");
    CHECK_FALSE(is_right_on(context, options));
  }
  CHECK(is_right_on(context, options));
}

}  // namespace
}  // namespace clgemm
