// Measures contestants against each other: all take turns, run by run, so that whatever changes on the
// machine in the meantime changes it for all of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "contestant.hpp"
#include "results.hpp"

namespace clgemm::bench {

struct MeasureSettings {
  std::size_t runs = 20;
  std::size_t warmup = 10;
  double max_seconds =
      5.0;  // for one entrant's runs; a quarter of it for the warm-up. One run is always made
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

  // Every check so far passed, and there was one.
  bool passed() const { return check_ && check_->passed; }

  // Checks the result of the last run. The worst check is the one that counts.
  void check_result();

  // Another run would not take the time of all runs above `seconds`.
  bool has_time(double seconds) const { return spent_ms_ + last_run_ms_ <= seconds * 1e3; }

  std::size_t runs() const { return operation_ms_.size(); }

  // After at least one run().
  Measurement measurement() const;

 private:
  std::unique_ptr<Contestant> contestant_;
  const Reference* reference_;
  double first_call_ms_ = 0.0;
  std::size_t launches_ = 0;
  std::optional<CheckResult> check_;
  std::vector<double> operation_ms_;
  std::vector<double> call_ms_;
  double last_run_ms_ = 0.0;
  double spent_ms_ = 0.0;  // in warm-up and runs
};

// Warms up and times them all. `progress` is told what is under way.
void measure(const std::vector<Entrant*>& entrants, const MeasureSettings& settings,
             const std::function<void(const std::string&)>& progress);

}  // namespace clgemm::bench
