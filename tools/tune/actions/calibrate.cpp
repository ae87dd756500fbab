#include "tune/actions/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "choose/tuning_files.hpp"
#include "common/interrupt.hpp"
#include "common/machine_load.hpp"
#include "common/progress.hpp"
#include "common/say.hpp"
#include "probe/probe.hpp"
#include "tune/actions/run_setup.hpp"
#include "tune/actions/tuner.hpp"
#include "tune/actions/tuning_output.hpp"
#include "tune/calibration/calibration.hpp"
#include "tune/calibration/calibration_worker.hpp"
#include "tune/calibration/fit.hpp"
#include "tune/calibration/host_rates.hpp"
#include "tune/calibration/quick.hpp"
#include "tune/measuring/fake_times.hpp"
#include "tune/measuring/worker_process.hpp"

namespace clgemm::tune {
namespace {

// The contents and the duration of a run.
struct Agenda {
  std::vector<Config> configs;
  std::vector<SampleShape> shapes;
  Turns turns;
  double budget_s;          // unless an option sets it
  double least_building_s;  // time for the compiler if the budget is less
  Prior prior;
};

// These take five minutes on an H200 with compiling, and longer on slower devices.
constexpr std::size_t default_shapes = 64;
constexpr double default_budget_s = 600.0;
constexpr double quick_budget_s = 9.0;
constexpr double quick_building_s = 60.0;

// The measurements of the device in addition to its kernels.
struct Surroundings {
  std::optional<Probed> probed;  // to scale rows for probed devices; not set if the device was busy
  HostRates host;
};

Surroundings surroundings_of(const TuneOptions& options, const Device& info) {
  Surroundings result;
  if (times_are_fake()) return result;
  try {
    const cl::Device device = options.device.empty() ? default_device() : find_device(options.device);
    std::optional<HostRates> link;
    if (info.kind != DeviceKind::other) {
      const auto [probed, is_sure] = measure_device(cl::Context(device), device, info);
      if (is_sure) result.probed = probed;
      link = probed.host;
    }
    if (link) result.host = *link;
    if (options.quick) return result;
    Context context(device());
    result.host = measured_host_rates(context, link);
  } catch (const Error& error) {
    bench::say("clgemm-tune", fmt::format("no probe: {}", error.what()));
  } catch (const cl::Error& error) {
    bench::say("clgemm-tune", fmt::format("no probe: {}", from_opencl(error).what()));
  }
  return result;
}

Agenda agenda_of(const TuneOptions& options, RunSetup& setup, ConfigCache& cache,
                 const std::optional<Probed>& probed) {
  std::vector<Config> configs = calibrated_configs(setup.device, setup.library);
  const DeviceKind kind = setup.device.kind;
  const std::uint64_t seed = options.search.seed;
  if (!options.quick) {
    const std::size_t count = options.calibration_shapes == 0 ? default_shapes : options.calibration_shapes;
    return {std::move(configs),
            calibrated_shapes(kind, count, seed),
            careful_turns(kind),
            default_budget_s,
            0.0,
            {}};
  }
  Tuning tuning = tuning_from_environment();
  if (probed) tuning.scale_by(*probed);
  const std::optional<SpeedTable> table = nearest_rows(tuning, setup.device);
  configs = quick_configs(configs, table, cache, setup.library);
  std::vector<SampleShape> shapes = quick_shapes(table, configs, cache, setup.library, seed);
  Prior prior = prior_of(table, configs, cache);
  return {std::move(configs), std::move(shapes), quick_turns,
          quick_budget_s,     quick_building_s,  std::move(prior)};
}

std::vector<std::string> worker_arguments(const TuneOptions& options) {
  return arguments_of_worker({"--calibration-worker"}, options);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Measures one shape after another, with all configs, until the time is over.
class Calibration {
 public:
  Calibration(const TuneOptions& options, RunSetup& setup, Journal& journal, const Agenda& agenda)
      : options_(options),
        setup_(setup),
        journal_(journal),
        configs_(agenda.configs),
        shapes_(agenda.shapes),
        turns_(agenda.turns),
        worker_(worker_arguments(options)),
        budget_(options.budget_s > 0.0 ? options.budget_s : agenda.budget_s),
        end_(now() + std::max(budget_, agenda.least_building_s)) {}

  // Returns false if it was interrupted.
  bool run() {
    if (!ask_host() || !build()) return false;
    if (options_.quick) end_ = now() + budget_;  // for any time of the compiler
    for (index_ = 0; index_ < shapes_.size(); ++index_) {
      if (!measure_shape(shapes_[index_])) return false;
      if (now() > end_) break;
    }
    progress_.clear();
    worker_.stop();  // only then is its time counted as this process's own
    part_of_others_ = load_.part_of_others().value_or(0.0);
    return true;
  }

  const std::vector<Sample>& samples() const { return samples_; }
  double part_of_others() const { return part_of_others_; }
  const HostSeconds& host() const { return host_; }

 private:
  bool build() {
    if (times_are_fake()) return true;
    progress_.show(fmt::format("building {} configs", configs_.size()));
    std::vector<std::string> questions;
    for (const Config& config : configs_) questions.push_back(write_build_question(config, shapes_));
    std::size_t built = 0;
    ask_in_processes(worker_arguments(options_), questions, options_.limit_s,
                     [&](std::size_t, const WorkerProcess::Answer&) {
                       progress_.show(fmt::format("{} of {} configs built", ++built, configs_.size()));
                       return now() < end_;
                     });
    return !bench::interrupted();
  }

  // Measures the host's time. A CPU's is fitted instead.
  bool ask_host() {
    const Rates guess;
    host_ = {guess.call_seconds, guess.launch_seconds};
    if (times_are_fake() || setup_.device.kind == DeviceKind::cpu) return true;
    const auto answer = worker_.ask(write_host_question(), options_.limit_s);
    if (answer.interrupted) return false;
    if (!answer.line)
      throw std::runtime_error(
          fmt::format("the host's time for a call could not be measured: {}", answer.failure));
    host_ = read_host(*answer.line);
    return true;
  }

  // The times of a config on the present shape.
  struct Timed {
    Trial trial;
    std::vector<double> seconds;  // one for each turn
    std::string failure;

    double least() const { return *std::min_element(seconds.begin(), seconds.end()); }
  };

  // Other work on the machine only adds time, and lasts for a while. So the configs take turns until each has
  // enough times, and the shortest time counts.
  bool measure_shape(const SampleShape& shape) {
    std::vector<Timed> configs = configs_for(shape);
    double best = 0.0;
    for (bool all_are_settled = false; !all_are_settled;) {
      all_are_settled = true;
      for (Timed& one : configs) {
        if (!one.failure.empty() || is_settled(one.seconds, best, turns_)) continue;
        if (now() > end_) return true;  // an incomplete shape is not kept
        all_are_settled = false;
        show(shape);
        if (!measure(one, best)) return false;
        if (one.failure.empty()) best = best == 0.0 ? one.least() : std::min(best, one.least());
      }
    }
    for (const Timed& one : configs) keep(one);
    return true;
  }

  // Returns the configs. Those that an interrupted run has measured have their samples already.
  std::vector<Timed> configs_for(const SampleShape& shape) {
    std::vector<Timed> result;
    for (const Config& config : configs_) {
      for (const Config& split : with_slices(config, shape, setup_.device, setup_.library)) {
        const Trial trial{
            {shape.m, shape.n, shape.k}, split, Care::calibrated, shape.batch, transposes_of(shape)};
        if (const auto known = journal_.find(trial)) {
          if (known->is_right() && known->ms > 0.0) samples_.push_back({shape, split, known->ms * 1e-3});
        } else {
          result.push_back({trial, {}, {}});
        }
      }
    }
    return result;
  }

  // Measures a config once more. Returns false if it was interrupted.
  bool measure(Timed& one, double best) {
    if (bench::interrupted()) return false;
    if (times_are_fake()) {
      one.seconds.push_back(with_fake_times(one.trial, {}).ms * 1e-3);
      return true;
    }
    const auto answer =
        worker_.ask(write_timing_question(shape_of(one.trial), one.trial.config, best), options_.limit_s);
    if (answer.interrupted) return false;
    const Timing timing = answer.line ? read_timing(*answer.line) : Timing{0.0, answer.failure};
    one.seconds.push_back(timing.seconds);
    one.failure = timing.failure;
    return true;
  }

  void keep(const Timed& one) {
    const double seconds = one.failure.empty() ? one.least() : 0.0;
    journal_.add(one.trial, {seconds * 1e3, one.failure, 0.0});
    if (seconds > 0.0) samples_.push_back({shape_of(one.trial), one.trial.config, seconds});
  }

  static SampleShape shape_of(const Trial& trial) {
    return sample_shape({trial.size.m, trial.size.n, trial.size.k}, trial.batch, trial.transposes);
  }

  void show(const SampleShape& shape) {
    const std::string matrices = shape.batch == 1 ? "" : fmt::format("{} of ", shape.batch);
    progress_.show(fmt::format("{}/{} {}{} x {} x {} {}: {} measured, {} left", index_ + 1, shapes_.size(),
                               matrices, shape.m, shape.n, shape.k, transposes_of(shape), samples_.size(),
                               time_left()));
  }

  // Estimates the remaining time from the previous shapes, at most the budget.
  std::string time_left() {
    if (index_ == 0) first_shape_ = now();
    const double spent = now() - first_shape_;
    const double by_shapes =
        index_ == 0 ? end_ - now()
                    : spent / static_cast<double>(index_) * static_cast<double>(shapes_.size() - index_);
    const int left = static_cast<int>(std::max(0.0, std::min(by_shapes, end_ - now())));
    return fmt::format("about {}:{:02}", left / 60, left % 60);
  }

  const TuneOptions& options_;
  RunSetup& setup_;
  Journal& journal_;
  const std::vector<Config>& configs_;
  const std::vector<SampleShape>& shapes_;
  Turns turns_;
  WorkerProcess worker_;
  double budget_;
  double end_;
  bench::MachineLoad load_;
  double part_of_others_ = 0.0;
  bench::Progress progress_;
  std::vector<Sample> samples_;
  HostSeconds host_;
  std::size_t index_ = 0;
  double first_shape_ = 0.0;
};

// Returns kernels that were measured and not fitted.
std::set<std::string> without_rows(const std::vector<Sample>& samples, const Fitted& fitted) {
  std::set<std::string> result;
  for (const Sample& sample : samples) result.insert(sample.config.kernel);
  for (const ConfigRow& row : fitted.rows) result.erase(row.config.kernel);
  return result;
}

// Returns no rows if clgemm has none for such a device.
std::optional<Fitted> rows_in_use(const Device& device, ConfigCache& configs,
                                  const std::optional<Probed>& probed) {
  Tuning tuning = tuning_from_environment();
  if (probed) tuning.scale_by(*probed);
  const std::vector<SpeedTable> tables = tuning.tables(device);
  if (tables.empty()) return std::nullopt;
  return rows_of(tables.front(), configs);
}

// The output, and the fit that it must beat.
struct Destination {
  std::filesystem::path output;
  std::string samples_to;
  std::optional<Fitted> in_use = {};  // the rows that clgemm has used so far; none if they do not matter
};

// A disturbed fit would affect all calls, without a visible reason for their slowness.
void warn_of_disturbance(const Regret& all) {
  constexpr double strange = 3.0;
  if (all.worst > strange)
    bench::say("clgemm-tune",
               fmt::format("warning: for the worst shape, the choice takes {:.1f} times as long as the best "
                           "config; if other programs disturbed the times, measure again",
                           all.worst));
}

// Returns true if the rows in use choose better, and reports it.
bool is_worse(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known,
              const Fitted& in_use) {
  const Comparison found = compare(samples, configs, known, in_use);
  if (!found.other_is_better()) return false;
  fmt::print(
      "the present data choose better for these shapes: regret {:.3f}, worst {:.2f}; this fit, on shapes "
      "that it was not fitted to: {:.3f}, worst {:.2f}\n",
      found.other.mean, found.other.worst, found.fit.mean, found.fit.worst);
  return true;
}

// Fits, writes, and reports the quality.
void write_fit(const std::vector<Sample>& samples, ConfigCache& configs, TuningFile file, const Known& known,
               const Destination& to) {
  const auto& [output, samples_to, in_use] = to;
  if (!samples_to.empty()) write_samples(samples_to, samples, unseen_predictions(samples, configs, known));
  const auto [held_out, batches] = held_out_regret(samples, configs, known);
  const Fitted fitted = fit(samples, configs, known);
  const Regret all = regret(fitted, samples, configs);
  if (fitted.rows.empty() || all.shapes < least_shapes)
    throw std::runtime_error(fmt::format(
        "a fit needs {} shapes with configs that have {} samples each, but these samples have {}; use a "
        "larger --budget, or --calibrate with more --shapes; nothing was written to '{}'",
        least_shapes, least_samples, all.shapes, output.string()));
  for (const std::string& kernel : without_rows(samples, fitted))
    fmt::print(stderr,
               "clgemm-tune: '{}' has samples of too few shapes, so clgemm will not choose it from this "
               "file; use --calibrate with more --shapes\n",
               kernel);
  fmt::print("{} samples, {} configs\n", samples.size(), fitted.rows.size());
  fmt::print("regret on {} shapes that were not fitted: {:.3f}, worst {:.2f}\n", held_out.shapes,
             held_out.mean, held_out.worst);
  if (batches.shapes > 0)
    fmt::print("on the {} batches among these: {:.3f}, worst {:.2f}\n", batches.shapes, batches.mean,
               batches.worst);
  fmt::print("regret on all {} shapes: {:.3f}, worst {:.2f}\n", all.shapes, all.mean, all.worst);
  warn_of_disturbance(all);
  if (in_use && is_worse(samples, configs, known, *in_use)) {
    fmt::print("nothing was written; --output FILE writes the fit anyway\n");
    return;
  }
  file.rates = fitted.rates;
  file.configs = fitted.rows;
  write_output(output, file);
  fmt::print("written: {}\n", output.string());
}

// Returns the device with the name in the file. It allows every config, because what was measured did run.
Device device_of(const TunedDevice& tuned) {
  Device device;
  device.name = tuned.name;
  device.vendor = tuned.vendor;
  device.platform_name = tuned.platform;
  device.driver_version = tuned.driver;
  device.kind = tuned.kind;
  device.native_float_width = tuned.vector_width;
  device.compute_units = tuned.compute_units;
  device.clock_mhz = tuned.clock_mhz;
  device.nvidia_sm = tuned.nvidia_sm;
  constexpr std::size_t enough = 4096;
  device.max_work_group_size = enough;
  device.max_work_item_sizes = {enough, enough, enough};
  device.local_bytes = std::size_t{1} << 22;
  device.global_bytes = device.max_allocation_bytes = std::size_t{1} << 36;
  constexpr std::size_t hopper = 90;
  if (tuned.vendor.find("NVIDIA") != std::string::npos) device.nvidia_sm = hopper;
  return device;
}

// Leaves out samples with values that a kernel does not have any more.
std::vector<Sample> valid_samples(const std::vector<Sample>& samples, ConfigCache& configs) {
  std::vector<Sample> result;
  for (const Sample& sample : samples) {
    try {
      configs.get(sample.config.kernel, sample.config.parameters);
      result.push_back(sample);
    } catch (const Error& error) {
      bench::say("clgemm-tune", fmt::format("left out: {}", error.what()));
    }
  }
  return result;
}

// Rows of a full calibration are not replaced by those of a quick one.
void demand_no_better(const TuningFile& file, const std::filesystem::path& output) {
  const auto has_more = [](const ConfigRow& row) { return row.shapes > most_quick_shapes; };
  if (std::any_of(file.configs.begin(), file.configs.end(), has_more))
    throw std::runtime_error(
        fmt::format("'{}' is from a full calibration, and --quick would write less; use another --output, or "
                    "remove the file",
                    output.string()));
}

}  // namespace

int calibrate(const TuneOptions& options) {
  RunSetup setup(options);
  demand_writable(setup.output);
  demand_writable(options.samples_to);
  const OwnCaches caches(setup.output);
  TuningFile file = read_output(setup.output, setup.device);
  if (options.quick) demand_no_better(file, setup.output);
  ConfigCache cache(setup.device, options.kernel_folder);
  const Surroundings surroundings = surroundings_of(options, setup.device);
  file.device.probed = surroundings.probed;
  const Agenda agenda = agenda_of(options, setup, cache, file.device.probed);
  const auto journal = open_journal(options, setup);
  if (journal->size() > 0)
    bench::say("clgemm-tune", fmt::format("continuing after {} measurements", journal->size()));
  fmt::print("{} ({}, driver {}): {} configs\n", setup.device.name, setup.device.platform_name,
             setup.device.driver_version, agenda.configs.size());
  std::fflush(stdout);
  const bench::InterruptNoted noted;
  Calibration calibration(options, setup, *journal, agenda);
  if (!calibration.run()) {
    bench::say("clgemm-tune", "stopped; the same command continues from here");
    return bench::interrupted_status();
  }
  if (calibration.part_of_others() > bench::quiet_part)
    bench::say("clgemm-tune", fmt::format("warning: the machine was busy: other programs took {:.0f} % of "
                                          "its cores' time; measure again when it is idle",
                                          100.0 * calibration.part_of_others()));
  Destination to{setup.output, options.samples_to};
  if (options.output.empty()) to.in_use = rows_in_use(setup.device, cache, file.device.probed);
  write_fit(calibration.samples(), cache, std::move(file),
            {calibration.host(), agenda.prior, surroundings.host}, to);
  if (options.quick)
    fmt::print("these are only the configs of a quick run; --calibrate measures all configs\n");
  journal->remove();
  return all_is_well;
}

int fit_samples(const TuneOptions& options) {
  const TuningFile file = read_file(options.output);
  demand_writable(options.output);
  demand_writable(options.samples_to);
  const Device device = device_of(file.device);
  ConfigCache cache(device, options.kernel_folder);
  KernelLibrary library(options.kernel_folder);
  const Rates known = file.rates.value_or(Rates{});
  write_fit(valid_samples(read_samples(options.fit_from, library.names(Role::gemm)), cache), cache, file,
            {{known.call_seconds, known.launch_seconds}, {}, known.host},
            {options.output, options.samples_to});
  return all_is_well;
}

int say_regret(const TuneOptions& options) {
  const TuningFile file = read_file(options.output);
  if (!file.rates)
    throw std::runtime_error(fmt::format("'{}' has no rates, so nothing can be predicted", options.output));
  const Device device = device_of(file.device);
  ConfigCache cache(device, options.kernel_folder);
  KernelLibrary library(options.kernel_folder);
  const std::vector<Sample> samples =
      valid_samples(read_samples(options.fit_from, library.names(Role::gemm)), cache);
  const Regret all = regret({*file.rates, file.configs}, samples, cache);
  fmt::print("regret of '{}' on the {} shapes of '{}': {:.3f}, worst {:.2f}\n", options.output, all.shapes,
             options.fit_from, all.mean, all.worst);
  return all_is_well;
}

}  // namespace clgemm::tune
