// From a problem to a plan whose kernels are built and can be trusted.
#pragma once

#include <atomic>
#include <clgemm/clgemm.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "build/built_plan.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning.hpp"
#include "context/plan_memory.hpp"
#include "kernel/config_cache.hpp"
#include "plan/plan.hpp"
#include "trust/trust.hpp"

namespace clgemm {

// The kernel that the options name, as KernelLibrary::find() takes it; empty where the choice is ours. Throws
// Error(invalid_argument) where they name two.
std::string named_kernel(const Options& options);

// Any number of threads may use one object.
class Chooser {
 public:
  Chooser(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs)
      : context_(context),
        device_(device),
        info_(info),
        programs_(programs),
        verifier_(std::move(context), std::move(device), info, programs) {}

  // A kernel that the options name is used, or its Error thrown; it is never replaced. Where the choice is
  // ours, the candidates are tried in their order: one that this device cannot build, that its self-test
  // finds wrong, or that was given up before, makes way for the next. One that spills, where nobody has
  // measured it, makes way for those that are expected to be faster than it is then.
  std::shared_ptr<const ChosenPlan> choose(const Problem& problem, const Options& options,
                                           std::size_t scratch_limit);

  // What the model says of the config that choose() tries first; plans where the options name a kernel, and
  // builds nothing.
  double predicted_seconds(const Problem& problem, const Options& options, std::size_t scratch_limit);

  // Never chooses this config again in this process, unless there is no other; `why` stands in later choices
  // and in the log. False where it was given up before.
  bool give_up(const Config& config, const Options& options, const std::string& why);

  // Whether the kernel that the options name can find the matrices of a batch by a list.
  bool takes_lists(const Options& options);

  // What was read of this device and others, at the first call; then a device without rows of its own is
  // probed, too.
  const Tuning& tuning();

  // Whether the rows that it goes by were measured on this device.
  bool has_own_rows() {
    tuning();
    return has_own_rows_;
  }

  // What other devices' rows are scaled by; nullopt if it is facts.
  const std::optional<Probed>& probed() {
    tuning();
    return probed_;
  }

  // Returns the rates of the device and its link: measured ones, or scaled ones of another device.
  const Rates& rates() {
    tuning();
    return rates_;
  }

  // A kernel that is no multiply, with its defaults.
  SharedConfig helper(const std::string& kernel, const Options& options) {
    return configs(kernel_folder_or_default(options.kernel_folder)).get(kernel, {});
  }

 private:
  // A kernel of one name may be another in another kernel folder. Mirrored or not, its program is the same.
  using GivenUpKey = std::tuple<std::string, std::string, Parameters>;

  static GivenUpKey key_of(const Config& config, const Options& options);

  // Throws Error(invalid_argument) if the options do not fit together.
  static PlanKey key_of(const Problem& problem, const Options& options, std::size_t scratch_limit);

  ChosenPlan choose_named(const PlanKey& key);
  ChosenPlan choose_among(const Ranking& ranking, const PlanKey& key, const Options& options);
  // In as many parts of k as pay by the speed model, unless the config says how many.
  Plan plan_named(const PlanKey& key);
  BuiltPlan plan_and_build(const Config& config, const PlanKey& key);
  // rank_candidates(), unless it is `known` already; what tuning data names in vain is given up.
  std::shared_ptr<const Ranking> ranking(const PlanKey& key, const Remembered& known, const Options& options);
  double predicted_of(const Plan& plan, ConfigCache& cache);

  // Why; nothing where it was not.
  std::optional<std::string> why_given_up(const Config& config, const Options& options);

  // The configs of one kernel folder; the empty name stands for the built-in kernels alone.
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

  std::mutex mutex_;  // of what follows
  std::map<std::string, std::unique_ptr<ConfigCache>> configs_;
  std::map<GivenUpKey, std::string> given_up_;  // and why
  std::atomic<std::size_t> count_of_given_up_{0};
};

}  // namespace clgemm
