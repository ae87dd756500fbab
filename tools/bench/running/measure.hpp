// Measures contestants against each other. All of them take turns, run by run, so that changes on the machine
// affect all of them equally.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "figures/results.hpp"
#include "measuring/check.hpp"
#include "running/long_call.hpp"
#include "running/wrong_result.hpp"

namespace clgemm::bench {

struct MeasureSettings {
  std::size_t runs = 20;
  std::size_t warmup = 10;
  double max_seconds =
      5.0;  // for one entrant's runs; a quarter of it for the warm-up; there is always one run
  bool host_to_host = false;          // additionally measures the GEMM on matrices in the host's memory
  std::vector<cl::Device> devices{};  // share those, if there are several
  bool baseline = true;
};

// A contestant and its measurements.
class Entrant {
 public:
  // Runs it once. Checks the result if `reference` is given, which must outlive the object. Throws what the
  // contestant throws.
  Entrant(std::unique_ptr<Contestant> contestant, const Reference* reference);

  void warm_up() { run_once(); }
  void run();

  // Returns C of the last run. Valid until another entrant runs.
  std::vector<float> result() { return contestant_->result(); }

  std::shared_ptr<const ChosenPlan> plan() { return contestant_->plan(); }

  // Returns true if there was a check, and every check has passed.
  bool passed() const { return has_right_numbers() && fault_.empty(); }
  bool has_right_numbers() const { return check_ && check_->passed; }

  // Returns the error ratio up to which its results pass. `reference` must be given.
  double bound() { return contestant_->bound_of_random(reference_->k()); }

  // Describes the last result, which was wrong, and runs the kernel again.
  std::string describe_wrong(const SgemmCall& call) {
    return describe_wrong_result(*contestant_, result(), *reference_, call);
  }

  // Describes faults other than wrong numbers: writes outside C, or faults found before.
  const std::string& fault() const { return fault_; }
  void add_fault(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  // Checks the result of the last run. The worst check counts.
  void check_result();

  // Returns true if all runs with one more take at most `seconds`.
  bool has_time(double seconds) const { return spent_ms_ + last_run_ms_ <= seconds * 1e3; }

  // Returns the time of the last run, or 0 before the first one.
  double last_run_ms() const { return last_run_ms_; }
  double last_host_ms() const { return last_host_ms_; }

  // Does the same for the runs from host to host. The first of them does not count.
  void run_host_to_host();
  bool has_host_time(double seconds) const { return host_spent_ms_ + last_host_ms_ <= seconds * 1e3; }

  std::size_t runs() const { return operation_ms_.size(); }

  // May be called after at least one run(). It has no rate, because an entrant knows no size.
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
  double spent_ms_ = 0.0;  // in the warm-up and the runs
  std::size_t host_runs_ = 0;
  std::vector<double> host_ms_;
  double last_host_ms_ = 0.0;
  double host_spent_ms_ = 0.0;
};

// Warms up and times all entrants. Calls `progress` with the present step. Ends early if interrupted()
// returns true, and then an entrant may have no run.
void measure(const std::vector<Entrant*>& entrants, const MeasureSettings& settings, const Tell& progress);

}  // namespace clgemm::bench
