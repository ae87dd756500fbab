// Makes a plan for a problem, with kernels that are built and tested.
#pragma once

#include <atomic>
#include <clgemm/clgemm.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "build/built_plan.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning.hpp"
#include "context/plan_memory.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"
#include "trust/trust.hpp"

namespace clgemm {

// Returns the kernel that the options name, in the form that KernelLibrary::find() takes. It is empty if
// clgemm chooses. Throws Error(invalid_argument) if the options name two.
std::string named_kernel(const Options& options);

// Any number of threads may use one object.
class Chooser {
 public:
  Chooser(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs);

  // Waits for the plans in the making.
  ~Chooser();

  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;

  // The stages of a plan that must be built. With `first_stage`, those behind the first may still be in the
  // making, if the plan computes one product in one block.
  enum class Needs { first_stage, all_stages };

  // Chooses a plan. A kernel that the options name is used, or its Error is thrown; it is never replaced. If
  // clgemm chooses, it tries the candidates in their order. It skips a candidate that this device cannot
  // build, that the self-test finds wrong, or that was excluded before. An unmeasured candidate that spills
  // is moved behind those that are then expected to be faster.
  std::shared_ptr<const ChosenPlan> choose(const Problem& problem, const Options& options,
                                           std::size_t scratch_limit, Needs needs);

  // Waits for the plans in the making.
  void finish_building();

  // Returns the model's time for the config that choose() tries first. If the options name a kernel, it makes
  // a plan. It builds nothing.
  double predicted_seconds(const Problem& problem, const Options& options, std::size_t scratch_limit);

  // Never chooses this config again in this process, unless there is no other. `why` appears in later choices
  // and in the log. Returns false if it was excluded before.
  bool exclude(const Config& config, const Options& options, const std::string& why);

  // Returns whether the kernel that the options name can find the matrices of a batch by a list.
  bool takes_lists(const Options& options);

  // Returns the tuning data of this device and others. The first call reads them, and probes a device that
  // has no rows of its own.
  const Tuning& tuning();

  // Returns whether the rows in use were measured on this device.
  bool has_own_rows() {
    tuning();
    return has_own_rows_;
  }

  // Returns the measurements by which other devices' rows are scaled; nullopt if facts are used.
  const std::optional<Probed>& probed() {
    tuning();
    return probed_;
  }

  // Returns the rates of the device and its link: measured ones, or scaled ones of another device.
  const Rates& rates() {
    tuning();
    return rates_;
  }

  // Returns a kernel with another role than `multiply`, with its defaults.
  SharedConfig helper(const std::string& kernel, const Options& options) {
    return configs(kernel_folder_or_default(options.kernel_folder)).get(kernel, {});
  }

 private:
  class Alive;
  static Alive& alive();

  // A name may stand for another kernel in another kernel folder. The program is the same whether or not the
  // config computes the transpose.
  using ExcludedKey = std::tuple<std::string, std::string, Parameters>;

  static ExcludedKey key_of(const Config& config, const Options& options);

  // Throws Error(invalid_argument) if the options contradict each other.
  static PlanKey key_of(const Problem& problem, const Options& options, std::size_t scratch_limit);

  ChosenPlan choose_named(const PlanKey& key);
  ChosenPlan choose_among(const Ranking& ranking, const PlanKey& key, const Options& options, Needs needs);
  // Returns the remembered plan, complete if it is ready or needed so; null if it has turned out to fail.
  std::shared_ptr<const ChosenPlan> completed(const Remembered& known, const PlanKey& key,
                                              const Options& options, Needs needs);
  // Uses the best number of slices along k by the speed model, unless the config has a number.
  Plan plan_named(const PlanKey& key);
  Plan plan_of(const Config& config, const PlanKey& key);
  // Returns whether it is useful to begin with the first stage of a plan: a program of the others is missing.
  bool can_begin(const Plan& plan);
  PlanInTheMaking build_aside(const Plan& plan);
  // Returns rank_candidates(), unless the ranking is `known`. Gives up configs that tuning data names in
  // vain.
  std::shared_ptr<const Ranking> ranking(const PlanKey& key, const Remembered& known, const Options& options);
  double predicted_of(const Plan& plan, ConfigCache& cache);

  // Returns the reason; nothing if it was not excluded.
  std::optional<std::string> why_excluded(const Config& config, const Options& options);

  // Returns the configs of one kernel folder. The empty name stands for the built-in kernels alone.
  ConfigCache& configs(const std::string& kernel_folder);

  void read_tuning();

  cl::Context context_;
  cl::Device device_;
  const Device& info_;
  ProgramCache& programs_;
  Verifier verifier_;
  PlanMemory remembered_;

  std::once_flag tuning_read_;
  Tuning tuning_;
  bool has_own_rows_ = false;
  std::optional<Probed> probed_;
  Rates rates_;

  std::mutex mutex_;  // for the members below
  std::map<std::string, std::unique_ptr<ConfigCache>> configs_;
  std::map<ExcludedKey, std::string> excluded_;  // and the reasons
  std::atomic<std::size_t> count_of_excluded_{0};
  std::vector<PlanInTheMaking> in_the_making_;
};

}  // namespace clgemm
