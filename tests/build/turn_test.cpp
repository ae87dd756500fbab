#include "build/turn.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "support/catch.hpp"

namespace clgemm {
namespace {

using std::chrono::milliseconds;

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
