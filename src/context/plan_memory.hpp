// The plans of the last calls: a program that multiplies the same shapes again and again plans each of them
// once.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

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

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    const Problem& problem = key.problem;
    std::size_t result = 0;
    for (const std::size_t size :
         {problem.m, problem.n, problem.k, problem.batch_count, problem.a.ld, problem.b.ld, problem.c.ld,
          problem.a.offset, problem.b.offset, problem.c.offset, std::size_t{problem.a.transposed},
          std::size_t{problem.b.transposed}, key.scratch_limit}) {
      constexpr std::size_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
      result = (result ^ size) * odd;
      result ^= result >> 32U;
    }
    return result;
  }
};

// Any number of threads may use one.
class PlanMemory {
 public:
  using Entry = std::shared_ptr<const ChosenPlan>;

  // Null where it is not known, or not any more.
  Entry find(const PlanKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(key);
    return found == plans_.end() ? nullptr : found->second;
  }

  // In place of the oldest, where there are enough.
  void keep(PlanKey key, Entry plan) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = plans_.insert_or_assign(std::move(key), std::move(plan));
    if (!is_new) return;
    by_age_.push_back(place->first);
    if (by_age_.size() <= most) return;
    plans_.erase(by_age_.front());
    by_age_.pop_front();
  }

 private:
  static constexpr std::size_t most = 1024;  // of 10 KB each

  mutable std::mutex mutex_;  // of what follows
  std::unordered_map<PlanKey, Entry, PlanKeyHash> plans_;
  std::deque<PlanKey> by_age_;
};

}  // namespace clgemm
