// The plans of the last calls: a program that multiplies the same shapes again and again plans each of them
// once.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
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
    const std::hash<float> of_factor;  // one for both zeros
    std::size_t result = 0;
    for (const std::size_t value : {problem.m, problem.n, problem.k, problem.batch_count,
                                    of_factor(problem.alpha), of_factor(problem.beta), key.scratch_limit}) {
      mix(result, value);
    }
    for (const Operand* operand : {&problem.a, &problem.b, &problem.c}) {
      mix(result, std::size_t{operand->transposed});
      for (const std::size_t value : {operand->ld, operand->offset, operand->stride, operand->base_alignment})
        mix(result, value);
    }
    return result;
  }

 private:
  static void mix(std::size_t& result, std::size_t value) {
    constexpr std::size_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    result = (result ^ value) * odd;
    result ^= result >> 32U;
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

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

  // In place of the oldest, where there are enough. With an alpha or a beta that is NaN, nothing equals the
  // key, and it is not kept.
  void keep(PlanKey key, Entry plan) {
    if (std::isnan(key.problem.alpha) || std::isnan(key.problem.beta)) return;
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
