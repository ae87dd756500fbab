// Remembers what was found out for the last problems. If a program computes the same shapes again and again,
// each of them is ranked, planned and built only once.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "build/built_plan.hpp"
#include "call/problem.hpp"
#include "choose/choice.hpp"
#include "choose/ranking.hpp"

namespace clgemm {

// A plan whose programs another thread builds and tests.
using PlanInTheMaking = std::shared_future<std::shared_ptr<const BuiltPlan>>;

// Returns whether get() does not wait for another thread.
inline bool is_ready(const PlanInTheMaking& plan) {
  return plan.wait_for(std::chrono::seconds(0)) != std::future_status::timeout;
}

inline bool has_failed(const PlanInTheMaking& plan) {
  try {
    return plan.wait_for(std::chrono::seconds(0)) == std::future_status::ready && plan.get() == nullptr;
  } catch (const Error&) {
    return true;
  }
}

// The plan of a call, and the reasons for it.
struct ChosenPlan {
  Choice choice;
  BuiltPlan built;

  // The whole plan, if `built` has only the first stage. Few calls need the others, so the first call of a
  // kernel need not wait for them.
  PlanInTheMaking whole;
};

// Everything that determines the plan, except the configs that were excluded.
struct PlanKey {
  Problem problem;  // as_planned()
  std::string kernel_folder;
  std::size_t scratch_limit = 0;
  Precision precision = Precision::fp32_equivalent;
  Config named;  // named by the caller; without a name if clgemm chooses

  bool operator==(const PlanKey&) const = default;
};

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    const Problem& problem = key.problem;
    std::size_t result = std::hash<std::string>()(key.named.kernel);
    for (const std::size_t value : {problem.m, problem.n, problem.k, problem.batch_count, key.scratch_limit})
      mix(result, value);
    for (const Operand* operand : {&problem.a, &problem.b, &problem.c}) {
      mix(result, std::size_t{operand->transposed});
      for (const std::size_t value : {operand->ld, operand->offset, operand->stride, operand->base_alignment})
        mix(result, value);
    }
    for (const auto& [name, value] : key.named.parameters) mix(result, static_cast<std::size_t>(value));
    return result;
  }

 private:
  static void mix(std::size_t& result, std::size_t value) {
    constexpr std::size_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    result = (result ^ value) * odd;
    result ^= result >> 32U;
  }
};

// The known facts of a problem; null if they were not needed yet.
struct Remembered {
  std::shared_ptr<const Ranking> ranking;
  std::shared_ptr<const ChosenPlan> plan;
  std::size_t excluded = 0;  // configs excluded when the plan was chosen; one more may change it
};

// Any number of threads may use the same memory.
class PlanMemory {
 public:
  Remembered find(const PlanKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? Remembered{} : found->second;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
  }

  // Adds everything that is not null. It replaces the oldest problem if the memory is full.
  void keep(const PlanKey& key, Remembered more) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = known_.try_emplace(key);
    if (more.ranking) place->second.ranking = std::move(more.ranking);
    if (more.plan) {
      place->second.plan = std::move(more.plan);
      place->second.excluded = more.excluded;
    }
    if (!is_new) return;
    by_age_.push_back(key);
    if (by_age_.size() <= most) return;
    known_.erase(by_age_.front());
    by_age_.pop_front();
  }

 private:
  static constexpr std::size_t most = 1024;  // of 10 KB each

  mutable std::mutex mutex_;  // for the members below
  std::unordered_map<PlanKey, Remembered, PlanKeyHash> known_;
  std::deque<PlanKey> by_age_;
};

}  // namespace clgemm
