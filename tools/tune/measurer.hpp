// Measures configs: from the journal where there is one that has them, else by the worker, within the time
// limit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/journal.hpp"
#include "tune/measured.hpp"
#include "tune/options.hpp"
#include "tune/worker.hpp"
#include "tune/worker_process.hpp"

namespace clgemm::tune {

class Measurer {
 public:
  // Without a journal (nullptr), what is measured is kept nowhere.
  Measurer(const TuneOptions& options, Journal* journal);

  // No value where Ctrl-C came first.
  std::optional<Outcome> measure(const Trial& trial, double worst_ms);

  // Runs it once for each of these turns, until it is wrong, on what hides least: by turns all transposes,
  // and gaps or none; always with beta.
  std::optional<Outcome> check(const Trial& trial, const std::vector<std::size_t>& turns);

 private:
  // Of the journal where it has the trial, else of the last question that is asked: the first whose outcome
  // is not right.
  std::optional<Outcome> ask(const std::vector<Question>& questions);
  std::optional<Outcome> ask_worker(const Question& question);

  const TuneOptions& options_;
  Journal* journal_;
  WorkerProcess worker_;
};

}  // namespace clgemm::tune
