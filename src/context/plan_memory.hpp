// The plans of the last calls: a program that multiplies the same shapes again and again plans each of them
// once.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "build/built_plan.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"

namespace clgemm {

// What a call does, and why it is done like this.
struct ChosenPlan {
  Choice choice;
  BuiltPlan built;
};

// Everything that decides which plan clgemm makes where the choice is its own.
struct PlanKey {
  Problem problem;
  std::string kernel_folder;
  std::size_t scratch_limit = 0;
  Precision precision = Precision::fp32_equivalent;
  std::size_t given_up = 0;  // how many candidates were when the choice began: one more may change it

  bool operator==(const PlanKey&) const = default;
};

// Any number of threads may use one.
class PlanMemory {
 public:
  using Entry = std::shared_ptr<const ChosenPlan>;

  // Null where it is not known, or not any more.
  Entry find(const PlanKey& key) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, plan] : plans_) {
      if (known == key) return plan;
    }
    return nullptr;
  }

  // In place of the oldest, where there are enough.
  void keep(PlanKey key, Entry plan) {
    const std::lock_guard lock(mutex_);
    if (plans_.size() < most) {
      plans_.emplace_back(std::move(key), std::move(plan));
    } else {
      plans_[oldest_] = {std::move(key), std::move(plan)};
      oldest_ = (oldest_ + 1) % most;
    }
  }

 private:
  static constexpr std::size_t most = 32;  // to look through them all takes less than 0.1 microseconds

  mutable std::mutex mutex_;  // of what follows
  std::vector<std::pair<PlanKey, Entry>> plans_;
  std::size_t oldest_ = 0;
};

}  // namespace clgemm
