// What was planned once is not planned again, unless something that decides the plan is another.
#include "context/plan_memory.hpp"

#include <limits>

#include "context/chooser.hpp"
#include "plan/blocks.hpp"
#include "support/first_choice.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;

Problem problem_of(std::size_t size) {
  Problem result{size, size, size, 1, 0, {}, {}, {}};
  result.a.ld = result.b.ld = result.c.ld = size;
  return result;
}

PlanKey key_of(std::size_t size) {
  return {problem_of(size), "", 1000, Precision::fp32_equivalent, 0};
}

TEST_CASE("a plan is found by everything that decides it") {
  PlanMemory memory;
  const auto plan = std::make_shared<ChosenPlan>();
  memory.keep(key_of(5), plan);
  CHECK(memory.find(key_of(5)) == plan);
  CHECK(memory.find(key_of(6)) == nullptr);
  PlanKey strict = key_of(5);
  strict.precision = Precision::fp32;
  CHECK(memory.find(strict) == nullptr);

  std::vector<PlanKey> others(9, key_of(5));
  others[0].problem.beta = 1;
  others[1].problem.a.transposed = true;
  others[2].problem.b.offset = 4;
  others[3].problem.a.base_alignment = 4;
  others[4].problem.batch_count = 2;
  others[5].problem.b.stride = 25;
  others[6].kernel_folder = "elsewhere";
  others[7].scratch_limit = 999;
  others[8].given_up = 1;
  for (const PlanKey& other : others) CHECK(memory.find(other) == nullptr);
}

TEST_CASE("what no key equals is not kept") {
  PlanMemory memory;
  PlanKey key = key_of(5);
  key.problem.alpha = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 2000; ++i) memory.keep(key, std::make_shared<ChosenPlan>());
  CHECK(memory.size() == 0);
  memory.keep(key_of(5), std::make_shared<ChosenPlan>());
  memory.keep(key_of(5), std::make_shared<ChosenPlan>());
  CHECK(memory.size() == 1);
}

TEST_CASE("the oldest plan makes way for a new one") {
  PlanMemory memory;
  const auto plan = std::make_shared<ChosenPlan>();
  for (std::size_t size = 1; size <= 1100; ++size) memory.keep(key_of(size), plan);
  memory.keep(key_of(1100), plan);  // two threads may have planned it
  CHECK(memory.size() == 1024);
  CHECK(memory.find(key_of(76)) == nullptr);
  CHECK(memory.find(key_of(77)) != nullptr);
  CHECK(memory.find(key_of(1100)) != nullptr);
}

TEST_CASE("the chooser plans a shape once") {
  ProgramCache programs(shared_cl_context(), shared_device(), shared_device_info(),
                        DiskCache::from_environment());
  Chooser chooser(shared_cl_context(), shared_device(), shared_device_info(), programs);
  const Problem problem = problem_of(67);
  const auto first = chooser.choose(problem, {}, unlimited_scratch);
  CHECK(chooser.choose(problem, {}, unlimited_scratch) == first);
  CHECK(chooser.choose(problem_of(68), {}, unlimited_scratch) != first);
  CHECK(chooser.choose(problem, {}, 1 << 20) != first);

  SECTION("and anew where a kernel has been given up since") {
    CHECK(chooser.give_up(first->choice.chosen.config, {}, "for a test"));
    const auto next = chooser.choose(problem, {}, unlimited_scratch);
    CHECK(next->choice.chosen.config != first->choice.chosen.config);
  }
  SECTION("and anew in another kernel folder") {
    const TemporaryFolder folder;
    write_first_choice(folder, "// summary: ", "// summary: ");
    const ScopedVariable kernels("CLGEMM_KERNEL_DIR", folder.path().c_str());
    CHECK(chooser.choose(problem, {}, unlimited_scratch) != first);
  }
}

TEST_CASE("a plan that was made without self-tests is tested once they are on") {
  const TemporaryFolder cache;
  const ScopedVariable cache_folder("CLGEMM_CACHE_DIR", cache.path().c_str());
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
