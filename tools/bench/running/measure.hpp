// Measures contestants against each other: all take turns, run by run, so that whatever changes on the
// machine in the meantime changes it for all of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contestants/wrong_result.hpp"
#include "data/check.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

struct MeasureSettings {
  std::size_t runs = 20;
  std::size_t warmup = 10;
  double max_seconds =
      5.0;  // for one entrant's runs; a quarter of it for the warm-up. One run is always made
  bool host_to_host = false;          // also, and apart, the multiply of matrices in the host's memory
  std::vector<cl::Device> devices{};  // that share those, where there are several
  bool baseline = true;
};

// A contestant and what has been measured of it.
class Entrant {
 public:
  // Runs it once and checks the result, where `reference` is given, which must outlive it. Throws what the
  // contestant throws.
  Entrant(std::unique_ptr<Contestant> contestant, const Reference* reference);

  void warm_up();
  void run();

  // C of the last run; only until another entrant runs.
  std::vector<float> result() { return contestant_->result(); }

  std::shared_ptr<const ChosenPlan> plan() { return contestant_->plan(); }

  // Every check so far passed, and there was one.
  bool passed() const { return has_right_numbers() && fault_.empty(); }
  bool has_right_numbers() const { return check_ && check_->passed; }

  // Up to which error ratio its results pass. `reference` was given.
  double bound() { return contestant_->bound_of_random(reference_->k()); }

  // Describes the last result, which was wrong, and runs the kernel again.
  std::string describe_wrong(const SgemmCall& call) {
    return describe_wrong_result(*contestant_, result(), *reference_, call);
  }

  // What is wrong beside the numbers, in words: what was written outside C, or what was found before.
  const std::string& fault() const { return fault_; }
  void add_fault(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  // Checks the result of the last run. The worst check is the one that counts.
  void check_result();

  // Another run would not take the time of all runs above `seconds`.
  bool has_time(double seconds) const { return spent_ms_ + last_run_ms_ <= seconds * 1e3; }

  // What the last run took; 0 before the first.
  double last_run_ms() const { return last_run_ms_; }
  double last_host_ms() const { return last_host_ms_; }

  // The same for the runs from host to host, whose first is not counted.
  void run_host_to_host();
  bool has_host_time(double seconds) const { return host_spent_ms_ + last_host_ms_ <= seconds * 1e3; }

  std::size_t runs() const { return operation_ms_.size(); }

  // After at least one run(). The rate is left out: an entrant knows no size.
  Figures figures() const;

 private:
  RunTimes run_once();
  void check(const std::vector<float>& c);

  std::unique_ptr<Contestant> contestant_;
  const Reference* reference_;
  double first_call_ms_ = 0.0;
  std::size_t launches_ = 0;
  std::optional<CheckResult> check_;
  std::string fault_;
  std::vector<double> operation_ms_;
  std::vector<double> call_ms_;
  double last_run_ms_ = 0.0;
  double spent_ms_ = 0.0;  // in warm-up and runs
  std::size_t host_runs_ = 0;
  std::vector<double> host_ms_;
  double last_host_ms_ = 0.0;
  double host_spent_ms_ = 0.0;
};

// Warms up and times them all. `progress` is told what is under way. Ends early where interrupted() says so;
// an entrant may have no run then.
void measure(const std::vector<Entrant*>& entrants, const MeasureSettings& settings,
             const std::function<void(const std::string&)>& progress);

}  // namespace clgemm::bench
