// From a problem to a plan whose kernels are built and can be trusted. Layer 5.
#pragma once

#include <array>
#include <clgemm/clgemm.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "choose/ranking.hpp"
#include "choose/tuning.hpp"
#include "context/plan_memory.hpp"
#include "kernel/config_cache.hpp"
#include "launch/launch.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// The kernel that the options name, as KernelLibrary::find() takes it; empty where the choice is ours. Throws
// Error(invalid_argument) where they name two.
std::string named_kernel(const Options& options);

// Any number of threads may use one.
class Chooser {
 public:
  Chooser(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs)
      : context_(std::move(context)), device_(std::move(device)), info_(info), programs_(programs) {}

  // A kernel that the options name is used, or its Error thrown; it is never replaced. Where the choice is
  // ours, the candidates are tried in their order: one that this device cannot build, that its self-test
  // finds wrong, or that was given up before, makes way for the next.
  std::shared_ptr<const BuiltPlan> choose(const Problem& problem, const Options& options,
                                          std::size_t scratch_limit);

  // Never chooses this kernel again in this process, unless there is no other; `why` stands in explain() and
  // in the log. False where it was given up before.
  bool give_up(const Candidate& candidate, const Options& options, const std::string& why);

  // One line for each candidate that was given up in the kernel folder of these options: "not used: block_1d:
  // ...".
  std::string describe_given_up(const Options& options);

  // A kernel that is no multiply, with its defaults.
  SharedConfig helper(const std::string& kernel, const Options& options) {
    return configs(kernel_folder_or_default(options.kernel_folder)).get(kernel, {}, {});
  }

 private:
  // A kernel of one name may be another in another kernel folder.
  using CandidateKey = std::tuple<std::string, std::string, Parameters>;

  // All of a problem that a ranking depends on, the scratch limit, and the kernel folder.
  using RankingKey = std::tuple<std::array<std::size_t, 5>, std::array<std::size_t, 6>,
                                std::array<std::size_t, 6>, std::string, Precision>;
  static CandidateKey key_of(const Candidate& candidate, const Options& options);

  std::shared_ptr<const BuiltPlan> choose_among(const std::vector<Candidate>& all, const Problem& problem,
                                                const Options& options, ConfigCache& cache,
                                                std::size_t scratch_limit);
  BuiltPlan plan_and_build(const Problem& problem, const Candidate& candidate, ConfigCache& cache,
                           std::size_t scratch_limit, Precision precision, Purpose purpose);
  void verify(const BuiltPlan& built, const Problem& problem);
  void verify_program(const BuiltPlan& built, const Problem& problem,
                      const std::shared_ptr<BuiltKernel>& program, const KernelConfig& kernel);
  // ranked_candidates(), remembered for each problem.
  using Ranking = std::shared_ptr<const std::vector<Candidate>>;
  Ranking ranking(const Problem& problem, const std::string& kernel_folder, std::size_t scratch_limit,
                  Precision precision);
  const Tuning& tuning();

  bool is_given_up(const Candidate& candidate, const Options& options);
  std::size_t count_of_given_up();

  // The configs of one kernel folder; the empty name stands for the built-in kernels alone.
  ConfigCache& configs(const std::string& kernel_folder);

  cl::Context context_;
  cl::Device device_;
  const Device& info_;
  ProgramCache& programs_;
  PlanMemory remembered_;

  std::once_flag tuning_read_;
  Tuning tuning_;

  std::mutex mutex_;  // of what follows
  std::map<std::string, std::unique_ptr<ConfigCache>> configs_;
  std::map<CandidateKey, std::string> given_up_;  // and why
  std::map<RankingKey, Ranking> rankings_;
};

}  // namespace clgemm
