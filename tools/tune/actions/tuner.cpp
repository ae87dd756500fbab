#include "tune/actions/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "common/interrupt.hpp"
#include "common/kernel_names.hpp"
#include "common/progress.hpp"
#include "common/say.hpp"
#include "measuring/host_data.hpp"
#include "plan/blocks.hpp"
#include "tune/actions/run_setup.hpp"
#include "tune/actions/tuning_output.hpp"
#include "tune/measuring/measurer.hpp"
#include "tune/searching/size_search.hpp"

namespace clgemm::tune {
namespace {

// A kernel that was at least this many times slower than the best one at all sizes so far is not tried at
// larger ones.
constexpr double hopeless_ratio = 5.0;

constexpr std::size_t starts_by_model = 4;

double gflops(const bench::Size& size, double ms) {
  return ms > 0.0 ? bench::operations(size) * 1e-6 / ms : 0.0;
}

class Tuner {
 public:
  Tuner(const TuneOptions& options, RunSetup& setup, Journal& journal, TuningFile file)
      : options_(options), setup_(setup), measurer_(options, &journal), file_(std::move(file)) {}

  // Returns false if it was interrupted.
  bool run() {
    for (index_ = 0; index_ < setup_.sizes.size(); ++index_) {
      if (!tune_size(setup_.sizes[index_])) return false;
    }
    return true;
  }

  bool found_all() const { return found_all_; }
  bool has_written() const { return written_; }
  bool file_has_won() const { return file_has_won_; }

 private:
  bool tune_size(const bench::Size& size) {
    SearchSettings settings = options_.search;
    settings.budget_s = options_.budget_s / static_cast<double>(setup_.sizes.size());
    best_ms_ = 0.0;
    count_ = 0;
    spent_s_ = 0.0;
    SizeSearch search(size, setup_.spaces, starts_for(size), hopeless_, settings,
                      [&](const Trial& trial, double worst_ms) { return measure(trial, worst_ms); });
    if (!search.run()) return false;
    note_hopeless(search.best_of_kernels());
    progress_.clear();
    if (!search.winner()) {
      found_all_ = false;
      fmt::print("{}: no config gave a correct result{}\n", to_string(size), late_words(search.late()));
      return true;
    }
    const Winner& winner = *search.winner();
    if (winner.first_was_late && options_.own_choice) {
      found_all_ = false;
      fmt::print(
          "{}: nothing is kept, because clgemm's own choice gave no result within {} s, so it is unknown "
          "whether {} with {:.4g} GFLOPS is better{}\n",
          to_string(size), options_.limit_s, to_string(winner.config), gflops(size, winner.ms),
          late_words(search.late()));
      return true;
    }
    const bool is_first = winner.ms == winner.first_ms;
    if (winner.config.kernel.empty()) {
      fmt::print(
          "{}: clgemm's own choice, computed as the transpose, was the best with {:.4g} GFLOPS, so nothing "
          "is kept; {} measurements\n",
          to_string(size), gflops(size, winner.ms), count_);
      return true;
    }
    keep(size, winner);
    fmt::print("{}: {:.4g} GFLOPS, {}; {}; {} measurements\n", to_string(size), gflops(size, winner.ms),
               !is_first             ? fmt::format("{:.4g} before", gflops(size, winner.first_ms))
               : options_.own_choice ? "clgemm's own choice was the best"
                                     : "the first config was the best",
               to_string(winner.config), count_);
    std::fflush(stdout);
    return true;
  }

  std::string late_words(std::size_t late) const {
    if (late == 0) return "";
    return fmt::format("; {} of {} measurements took more than {} s; --limit allows more time", late, count_,
                       options_.limit_s);
  }

  // clgemm chooses kernels by their names. A kernel from a file has none, so only the user can call it.
  void keep(const bench::Size& size, const Winner& winner) {
    if (bench::names_a_file(winner.config.kernel)) {
      file_has_won_ = true;
      return;
    }
    replace_entry(file_, entry_of(size, winner));
    write_output(setup_.output, file_);
    written_ = true;
  }

  std::optional<Outcome> measure(const Trial& trial, double worst_ms) {
    show_progress(trial);
    const auto outcome = measurer_.measure(trial, worst_ms);
    if (!outcome) return std::nullopt;
    ++count_;
    spent_s_ += outcome->spent_s;
    total_spent_s_ += outcome->spent_s;
    if (!outcome->is_right() || (best_ms_ > 0.0 && outcome->ms >= best_ms_)) return outcome;
    best_ms_ = outcome->ms;
    best_ = trial.config;
    return outcome;
  }

  void show_progress(const Trial& trial) {
    progress_.show(fmt::format("{}/{} {}: {} measured, best {:.4g} GFLOPS {}, {} left", index_ + 1,
                               setup_.sizes.size(), to_string(trial.size), count_,
                               gflops(trial.size, best_ms_), best_.kernel, time_left()));
  }

  // Estimates the remaining time from the budget, or from the time of the previous sizes.
  std::string time_left() const {
    const double sizes = static_cast<double>(setup_.sizes.size());
    double left = 0.0;
    if (options_.budget_s > 0.0) {
      const double each = options_.budget_s / sizes;
      left = std::max(0.0, each - spent_s_) + each * (sizes - static_cast<double>(index_) - 1.0);
    } else {
      const double a_measurement = total_spent_s_ / std::max(1.0, static_cast<double>(all_count()));
      const double expected = 2.0 * static_cast<double>(sampled());
      left = a_measurement * (std::max(0.0, expected - static_cast<double>(count_)) +
                              expected * (sizes - static_cast<double>(index_) - 1.0));
    }
    return fmt::format("about {}:{:02}", static_cast<int>(left) / 60, static_cast<int>(left) % 60);
  }

  std::size_t sampled() const {
    return options_.search.samples == 0 ? size_of(setup_.spaces) : options_.search.samples;
  }
  std::size_t all_count() const { return count_ + index_ * 2 * sampled(); }

  // Returns clgemm's own choice, then the defaults of every kernel that is not hopeless.
  std::vector<Config> starts_for(const bench::Size& size) {
    std::vector<Config> result;
    const auto add = [&](const std::string& kernel, const Parameters& parameters, bool always) {
      try {
        const NamedKernel named = setup_.library.find(kernel);
        Config config{bench::names_a_file(kernel) ? kernel : named.file->manifest.name,
                      configure(named, parameters, setup_.device).values};
        if (const auto parts = parameters.find(split_parameter); parts != parameters.end())
          config.parameters.insert(*parts);
        const bool is_searched =
            std::any_of(setup_.spaces.begin(), setup_.spaces.end(),
                        [&](const KernelSpace& space) { return space.kernel == config.kernel; });
        if ((always || is_searched) && std::find(result.begin(), result.end(), config) == result.end())
          result.push_back(config);
      } catch (const Error&) {
        return;  // the kernel is not for this device
      }
    };
    ConfigCache configs(setup_.device, options_.kernel_folder);
    bench::GemmKind kind;
    kind.transpose_a = options_.transpose_a ? Transpose::yes : Transpose::no;
    kind.transpose_b = options_.transpose_b ? Transpose::yes : Transpose::no;
    Problem problem = canonical(bench::call_of(kind, size));
    problem.a.base_alignment = problem.b.base_alignment = setup_.device.base_alignment_bytes / sizeof(float);
    const auto predicted =
        rank_candidates(problem, configs, tuning_, default_scratch_limit(setup_.device)).candidates;
    for (std::size_t i = 0; i < std::min(starts_by_model, predicted.size()); ++i) {
      const bool is_own_choice = i == 0 && options_.own_choice;
      const Config& config = predicted[i].config;
      if (!config.as_transpose) {
        add(config.kernel, config.parameters, is_own_choice);
      } else if (is_own_choice) {
        result.emplace_back();  // without a name, calls use clgemm's choice; no file has a mirrored entry
      }
    }
    for (const KernelSpace& space : setup_.spaces) {
      if (hopeless_.count(space.kernel) == 0) add(space.kernel, {}, false);
    }
    return result;
  }

  void note_hopeless(const std::map<std::string, double>& best_of_kernels) {
    double best = 0.0;
    for (const auto& [kernel, ms] : best_of_kernels) best = best == 0.0 ? ms : std::min(best, ms);
    for (const auto& [kernel, ms] : best_of_kernels) {
      if (ms < hopeless_ratio * best) {
        hopeful_.insert(kernel);
        hopeless_.erase(kernel);
      } else if (hopeful_.count(kernel) == 0) {
        hopeless_.insert(kernel);
      }
    }
  }

  TunedEntry entry_of(const bench::Size& size, const Winner& winner) {
    TunedEntry entry;
    entry.size = {size.m, size.n, size.k};
    entry.transpose_a = options_.transpose_a;
    entry.transpose_b = options_.transpose_b;
    entry.config = winner.config;
    entry.seconds = winner.ms * 1e-3;
    entry.space = options_.space;
    return entry;
  }

  const TuneOptions& options_;
  RunSetup& setup_;
  Measurer measurer_;
  TuningFile file_;
  Tuning tuning_ = tuning_from_environment();
  bench::Progress progress_;
  std::set<std::string> hopeful_;
  std::set<std::string> hopeless_;
  bool found_all_ = true;
  bool written_ = false;
  bool file_has_won_ = false;

  // The index of the present size.
  std::size_t index_ = 0;
  std::size_t count_ = 0;
  double spent_s_ = 0.0;
  double best_ms_ = 0.0;
  Config best_;
  double total_spent_s_ = 0.0;
};

}  // namespace

int tune(const TuneOptions& options) {
  RunSetup setup(options);
  demand_writable(setup.output);
  const OwnCaches caches(setup.output);
  TuningFile file = read_output(setup.output, setup.device);
  const auto journal = open_journal(options, setup);
  if (journal->size() > 0)
    bench::say("clgemm-tune", fmt::format("continuing after {} measurements", journal->size()));
  fmt::print("{} ({}, driver {})\n", setup.device.name, setup.device.platform_name,
             setup.device.driver_version);
  std::fflush(stdout);
  const bench::InterruptNoted noted;
  Tuner tuner(options, setup, *journal, std::move(file));
  if (!tuner.run()) {
    bench::say("clgemm-tune", "stopped; the same command continues from here");
    return bench::interrupted_status();
  }
  journal->remove();
  if (tuner.has_written()) {
    fmt::print("written: {}\n", setup.output.string());
  } else if (tuner.file_has_won()) {
    fmt::print(
        "nothing is written, because clgemm does not choose a kernel file by itself; pass these values with "
        "--param, or make them the defaults in the file's manifest\n");
  } else {
    fmt::print("nothing is written: {}\n", setup.output.string());
  }
  return tuner.found_all() ? all_is_well : something_failed;
}

int list_spaces(const TuneOptions& options) {
  const RunSetup setup(options);
  for (const KernelSpace& space : setup.spaces)
    fmt::print("{:<16} {:>6}\n", space.kernel, space.configs.size());
  fmt::print("{:<16} {:>6}\n", "all", size_of(setup.spaces));
  return all_is_well;
}

}  // namespace clgemm::tune
