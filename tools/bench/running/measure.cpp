#include "running/measure.hpp"

#include <fmt/format.h>

#include <tuple>

#include "common/interrupt.hpp"
#include "common/statistics.hpp"

namespace clgemm::bench {

Entrant::Entrant(std::unique_ptr<Contestant> contestant, const Reference* reference)
    : contestant_(std::move(contestant)), reference_(reference) {
  const RunTimes times = contestant_->run();
  first_call_ms_ = times.call_ms;
  last_run_ms_ = times.operation_ms;  // not the time of the call, which compiled
  launches_ = times.launches;
  check_result();
}

// Some contestants compute more than once a run, or wait. The limit applies to the whole time.
RunTimes Entrant::run_once() {
  RunTimes times;
  last_run_ms_ = ms_of([&] { times = contestant_->run(); });
  spent_ms_ += last_run_ms_;
  return times;
}

void Entrant::run() {
  const RunTimes times = run_once();
  operation_ms_.push_back(times.operation_ms);
  call_ms_.push_back(times.call_ms);
  launches_ = times.launches;
}

void Entrant::run_host_to_host() {
  const HostRun run = contestant_->run_host_to_host();
  host_runs_++ == 0 ? check(run.c) : host_ms_.push_back(run.ms);
  last_host_ms_ = run.ms;
  host_spent_ms_ += run.ms;
}

void Entrant::check_result() {
  check(contestant_->result());
  if (reference_ != nullptr) add_fault(contestant_->damage());
}

void Entrant::check(const std::vector<float>& c) {
  if (reference_ == nullptr) return;
  const CheckResult result = reference_->check(c, bound());
  if (!check_ || result.error_ratio > check_->error_ratio) check_ = result;
}

Figures Entrant::figures() const {
  const Clock clock = trusted_clock(median(operation_ms_), median(call_ms_));
  const std::vector<double>& times = clock == Clock::device ? operation_ms_ : call_ms_;
  Figures figures;
  figures.clock = clock;
  figures.samples_ms = times;
  figures.median_ms = median(times);
  figures.min_ms = minimum(times);
  figures.p95_ms = percentile_95(times);
  const auto set_interval = [](const std::vector<double>& all, auto& low, auto& high) {
    const std::optional<Interval> interval = interval_of_median(all);
    if (interval) std::tie(low, high) = std::pair(interval->low, interval->high);
  };
  set_interval(times, figures.low_ms, figures.high_ms);
  set_interval(call_ms_, figures.call_low_ms, figures.call_high_ms);
  figures.spread = (*figures.p95_ms - *figures.min_ms) / *figures.median_ms;
  figures.call_ms = median(call_ms_);
  figures.first_call_ms = first_call_ms_;
  if (!host_ms_.empty()) figures.host_ms = median(host_ms_);
  figures.runs = runs();
  figures.launches = launches_;
  if (check_) {
    figures.error_ratio = check_->error_ratio;
    figures.passed = passed();
  }
  return figures;
}

namespace {

void warm_up(const std::vector<Entrant*>& entrants, const MeasureSettings& settings, const Tell& progress) {
  for (std::size_t round = 0; round < settings.warmup && !interrupted(); ++round) {
    for (Entrant* entrant : entrants) {
      if (!entrant->has_time(settings.max_seconds / 4)) continue;
      call_telling(progress, fmt::format("warm-up {}/{}", round + 1, settings.warmup), entrant->last_run_ms(),
                   [&] { entrant->warm_up(); });
    }
  }
}

void time_runs(const std::vector<Entrant*>& entrants, const MeasureSettings& settings, const Tell& progress) {
  std::vector<Entrant*> running = entrants;
  for (std::size_t round = 0; round < settings.runs && !running.empty(); ++round) {
    std::vector<Entrant*> going_on;
    for (std::size_t i = 0; i < running.size() && !interrupted(); ++i) {
      call_telling(progress,
                   fmt::format("run {}/{}, {} of {}", round + 1, settings.runs, i + 1, running.size()),
                   running[i]->last_run_ms(), [&] { running[i]->run(); });
      if (round + 1 < settings.runs && running[i]->has_time(settings.max_seconds) && !interrupted()) {
        going_on.push_back(running[i]);
      } else {
        running[i]->check_result();
      }
    }
    running = std::move(going_on);
  }
}

// Runs after the runs on the device and not among them, because transfers would leave the caches in another
// state.
void time_host_to_host(const std::vector<Entrant*>& entrants, const MeasureSettings& settings,
                       const Tell& progress) {
  for (std::size_t round = 0; round <= settings.runs; ++round) {
    for (Entrant* entrant : entrants) {
      if (interrupted()) return;
      if (round >= 2 && !entrant->has_host_time(settings.max_seconds)) continue;
      call_telling(progress, fmt::format("host matrices {}/{}", round, settings.runs),
                   entrant->last_host_ms(), [&] { entrant->run_host_to_host(); });
    }
  }
}

}  // namespace

void measure(const std::vector<Entrant*>& entrants, const MeasureSettings& settings, const Tell& progress) {
  warm_up(entrants, settings, progress);
  time_runs(entrants, settings, progress);
  if (settings.host_to_host) time_host_to_host(entrants, settings, progress);
}

}  // namespace clgemm::bench
