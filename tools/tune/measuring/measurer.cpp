#include "tune/measuring/measurer.hpp"

#include <chrono>

#include "common/interrupt.hpp"
#include "tune/measuring/fake_times.hpp"

namespace clgemm::tune {
Measurer::Measurer(const TuneOptions& options, Journal* journal)
    : options_(options), journal_(journal), worker_(arguments_of_worker({"--worker"}, options)) {}

std::optional<Outcome> Measurer::measure(const Trial& trial, double worst_ms) {
  return ask({{trial, options_.transpose_a, options_.transpose_b, worst_ms, 0, 0.0f}});
}

std::optional<Outcome> Measurer::check(const Trial& trial, const std::vector<std::size_t>& turns) {
  constexpr double once = 1e-9;
  constexpr std::size_t gap = 3;  // makes the leading dimension even for an odd size
  std::vector<Question> questions;
  for (const std::size_t turn : turns)
    questions.push_back({trial, turn % 2 != 0, turn / 2 % 2 != 0, once, turn / 4 % 2 == 0 ? gap : 0, -0.5f});
  return ask(questions);
}

std::optional<Outcome> Measurer::ask(const std::vector<Question>& questions) {
  const Trial& trial = questions.front().trial;
  if (journal_ != nullptr) {
    if (const auto known = journal_->find(trial)) return known;
  }
  Outcome outcome;
  for (const Question& question : questions) {
    const auto answer = ask_worker(question);
    if (!answer) return std::nullopt;
    outcome = *answer;
    if (!outcome.is_right()) break;
  }
  if (journal_ != nullptr) journal_->add(trial, outcome);
  return outcome;
}

std::optional<Outcome> Measurer::ask_worker(const Question& question) {
  if (bench::interrupted()) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  const auto answer = worker_.ask(write_question(question), options_.limit_s);
  if (answer.interrupted) return std::nullopt;
  Outcome outcome = answer.line ? read_answer(*answer.line) : Outcome{0.0, answer.failure, 0.0};
  if (outcome.has_lost_device()) worker_.stop();
  outcome.spent_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (times_are_fake()) outcome = with_fake_times(question.trial, outcome);
  return outcome;
}

}  // namespace clgemm::tune
