// Measures configs. An outcome comes from the journal if it has the config, or else from the worker, within
// the time limit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/command_line/options.hpp"
#include "tune/measuring/journal.hpp"
#include "tune/measuring/worker.hpp"
#include "tune/measuring/worker_process.hpp"
#include "tune/searching/measured.hpp"

namespace clgemm::tune {

class Measurer {
 public:
  // Without a journal (nullptr), measurements are not stored.
  Measurer(const TuneOptions& options, Journal* journal);

  // Returns no value if Ctrl-C came first.
  std::optional<Outcome> measure(const Trial& trial, double worst_ms);

  // Runs the config once for each of these turns, until a result is wrong. The turns use all transposes, with
  // and without gaps, and always beta, so that few errors stay hidden.
  std::optional<Outcome> check(const Trial& trial, const std::vector<std::size_t>& turns);

 private:
  // Returns the outcome from the journal if it has the trial. Otherwise asks the questions in order until an
  // outcome is not right, and returns the last one.
  std::optional<Outcome> ask(const std::vector<Question>& questions);
  std::optional<Outcome> ask_worker(const Question& question);

  const TuneOptions& options_;
  Journal* journal_;
  WorkerProcess worker_;
};

}  // namespace clgemm::tune
