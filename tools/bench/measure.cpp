#include "measure.hpp"

#include <fmt/format.h>

#include "statistics.hpp"

namespace clgemm::bench {

Entrant::Entrant(std::unique_ptr<Contestant> contestant, const Reference* reference)
    : contestant_(std::move(contestant)), reference_(reference) {
  const RunTimes times = contestant_->run();
  first_call_ms_ = times.call_ms;
  last_run_ms_ = times.operation_ms;  // not the call: that one compiled
  launches_ = times.launches;
  check_result();
}

void Entrant::warm_up() {
  last_run_ms_ = contestant_->run().call_ms;
  spent_ms_ += last_run_ms_;
}

void Entrant::run() {
  const RunTimes times = contestant_->run();
  operation_ms_.push_back(times.operation_ms);
  call_ms_.push_back(times.call_ms);
  launches_ = times.launches;
  last_run_ms_ = times.call_ms;
  spent_ms_ += times.call_ms;
}

void Entrant::check_result() {
  if (reference_ == nullptr) return;
  const CheckResult check = reference_->check(contestant_->result());
  if (!check_ || check.error_ratio > check_->error_ratio) check_ = check;
}

Measurement Entrant::measurement() const {
  const Clock clock = trusted_clock(median(operation_ms_), median(call_ms_));
  const std::vector<double>& times = clock == Clock::device ? operation_ms_ : call_ms_;
  return {.clock = clock,
          .median_ms = median(times),
          .min_ms = minimum(times),
          .call_ms = median(call_ms_),
          .first_call_ms = first_call_ms_,
          .runs = runs(),
          .launches = launches_,
          .check = check_};
}

void measure(const std::vector<Entrant*>& entrants, const MeasureSettings& settings,
             const std::function<void(const std::string&)>& progress) {
  for (std::size_t round = 0; round < settings.warmup; ++round) {
    progress(fmt::format("warm-up {}/{}", round + 1, settings.warmup));
    for (Entrant* entrant : entrants) {
      if (entrant->has_time(settings.max_seconds / 4)) entrant->warm_up();
    }
  }
  std::vector<Entrant*> running = entrants;
  for (std::size_t round = 0; round < settings.runs && !running.empty(); ++round) {
    std::vector<Entrant*> going_on;
    for (std::size_t i = 0; i < running.size(); ++i) {
      progress(fmt::format("run {}/{}, {} of {}", round + 1, settings.runs, i + 1, running.size()));
      running[i]->run();
      if (round + 1 < settings.runs && running[i]->has_time(settings.max_seconds)) {
        going_on.push_back(running[i]);
      } else {
        running[i]->check_result();
      }
    }
    running = std::move(going_on);
  }
}

}  // namespace clgemm::bench
