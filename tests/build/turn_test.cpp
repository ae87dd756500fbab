#include "build/turn.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "build/built_plan.hpp"
#include "support/catch.hpp"
#include "support/plans.hpp"

namespace clgemm {
namespace {

using std::chrono::milliseconds;

TEST_CASE("programs whose PTX is assembled again are compiled first, and packing while they are assembled") {
  test::Planner make{test::made_up_hopper()};
  const Plan plan = make(test::tight(4096, 4096, 4096), "fp16x3_wgmma");
  std::vector<std::string> names;
  for (const PlacedProgram& program : build_order(plan))
    names.push_back(plan.stages[program.stage].programs[program.role]->name);
  CHECK(names == std::vector<std::string>{"fp16x3_wgmma", "fallback_tf32x3", "pack_both_fp16_planes"});
}

TEST_CASE("The first turn begins at once") {
  Turn(nullptr).begin();
}

TEST_CASE("A turn begins when the one before has ended, and not sooner") {
  const auto first = std::make_shared<Turn>(nullptr);
  const auto second = std::make_shared<Turn>(first);
  Turn third(second);
  std::atomic<bool> began = false;
  std::thread waits([&] {
    second->begin();
    began = true;
  });
  std::this_thread::sleep_for(milliseconds(50));
  CHECK_FALSE(began);
  first->end();
  waits.join();
  CHECK(began);
  second->end();
  second->end();  // once more does nothing
  third.begin();
}

TEST_CASE("A turn that never began ends with its object") {
  auto first = std::make_shared<Turn>(nullptr);
  Turn second(first);
  first.reset();
  second.begin();
}

}  // namespace
}  // namespace clgemm
