#include "tune/command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include "common/kernel_names.hpp"
#include "common/option_checks.hpp"
#include "common/usage_error.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::tune {
namespace {

constexpr const char* description =
    "Finds the fastest kernel and parameters for this device and writes them where clgemm finds them.\n"
    "Every result is checked before it may win. Ctrl-C stops; the same command goes on where it was.\n\n"
    "Exit status: 0 when all is well, 1 when a config was wrong or on an error, 2 for bad usage, 130 where\n"
    "Ctrl-C ended it.\n";

constexpr const char* footer =
    "The search measures clgemm's own choice and a seeded sample of the configs. It measures a quarter of "
    "them\n"
    "again, more carefully. Then it climbs from the best two, by one step of one parameter at a time. Only "
    "a\n"
    "faster config replaces clgemm's own choice.";

// The values that CLI11 fills in, in the words of the command line.
struct CommandLine {
  std::vector<std::string> sizes;
  std::vector<std::string> kernels;
  TuneOptions options;

  // Actions other than tuning, by the option that requests them. Only one can be given.
  std::vector<std::pair<CLI::Option*, Action>> actions;
};

CLI::Option* add_action(CommandLine& line, Action action, CLI::Option* option) {
  line.actions.emplace_back(option, action);
  return option;
}

void add_what(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "What to tune";
  app.add_option("-d,--device", options.device,
                 "As `clgemm-bench --list-devices` has it, or a part of its name")
      ->type_name("NAME")
      ->group(group);
  app.add_option("-s,--size", line.sizes, "In place of the shape classes' sizes; repeatable")
      ->type_name("N|MxNxK")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("-k,--kernel", line.kernels,
                 "A kernel, or all (default), or a kernel file, of which nothing is\nwritten: clgemm does "
                 "not choose it; repeatable")
      ->type_name("NAME|FILE.cl")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--kernel-folder", options.kernel_folder, "Searched for kernels before the built-in ones")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""))
      ->group(group);
  app.add_option("--space", line.options.space,
                 "tvm36: the 36 configs of the TVM article, all of the kernel\ntiled_vector. The winner is a "
                 "step of clgemm-bench --ladder;\nclgemm itself does not choose it")
      ->type_name("tvm36")
      ->check(bench::one_of({"tvm36"}))
      ->group(group);
  app.add_flag_callback(
         "--without-own-choice", [&options] { options.own_choice = false; },
         "The best of these kernels wins, even if clgemm's own choice is faster")
      ->group(group);
  app.add_flag("--transpose-a", options.transpose_a, "A is stored transposed: tuned apart")->group(group);
  app.add_flag("--transpose-b", options.transpose_b, "B is stored transposed: tuned apart")->group(group);
}

void add_how(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "How to search";
  app.add_option("--seed", options.search.seed, "Of what is random (default: 1)")
      ->type_name("N")
      ->group(group);
  app.add_option("--samples", options.search.samples,
                 "Configs to begin with, for each size; 0: all (default: 60)")
      ->type_name("N")
      ->check(bench::between(0, 1000000))
      ->group(group);
  app.add_option("--budget", options.budget_s, "Of measuring, in all; shared evenly by the sizes")
      ->type_name("SECONDS")
      ->check(bench::between(0.001, 1e9))
      ->group(group);
  app.add_option("--limit", options.limit_s, "Of one config, compiling included (default: 30)")
      ->type_name("SECONDS")
      ->check(bench::between(0.001, 1e9))
      ->group(group);
}

void add_calibration(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "The speed model";
  add_action(line, Action::calibrate, app.add_flag("--calibrate"))
      ->description(
          "Measures all configs that may ever win on random shapes, fits the speed\nmodel, by which clgemm "
          "chooses for every shape, and says its regret on\nshapes that it did not fit. --budget: 600 by "
          "default; a shape that is\nnot done by then is left out; the fit comes on top")
      ->group(group);
  add_action(line, Action::calibrate, app.add_flag("--quick", options.quick))
      ->description(
          "The same with 9 s of measuring: the few configs that are the best by the\ndata of other devices, "
          "on some shapes. --budget: 9 by default,\ncompiling and the fit come on top")
      ->group(group);
  app.add_option(
         "--shapes", options.calibration_shapes,
         "To measure at most, a third as many batches, an eighth as many large ones,\nand on CPUs six, "
         "on GPUs 24 of one column (default: 64); with --prepare: to look at\n(default: 768)")
      ->type_name("N")
      ->check(CLI::Range(least_shapes, std::size_t{10000}).description(""))
      ->group(group);
  app.add_option(
         "--keep-samples", options.samples_to,
         "With --calibrate, --quick or --fit: also writes what was measured and what was\npredicted, as CSV; "
         "clgemm-bench --report makes pictures of it")
      ->type_name("FILE")
      ->group(group);
  add_action(line, Action::fit, app.add_option("--fit", options.fit_from))
      ->description(
          "Measures nothing: fits to what --keep-samples has written, for the\ndevice of the --output file, "
          "which has to be there")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
  add_action(line, Action::regret, app.add_option("--regret", options.fit_from))
      ->description(
          "Measures nothing: says how good the --output file chooses on what\n--keep-samples of another run "
          "has written")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
}

void add_where(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "Where it goes";
  app.add_option(
         "-o,--output", options.output,
         "Default: ~/.config/clgemm/tuning/DEVICE.json, where clgemm looks. What\nthe file has for other "
         "shapes stays")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--fresh", options.fresh, "Forget the measurements of a run that was stopped")->group(group);
  add_action(line, Action::export_file, app.add_option("--export", options.other_file))
      ->description("Tunes nothing: writes what the output file has as a file that\nships in kernels/tuned/")
      ->type_name("FILE")
      ->group(group);
  add_action(line, Action::import_file, app.add_option("--import", options.other_file))
      ->description("Tunes nothing: adds to the output file what such a file has of this device")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
  add_action(line, Action::list_tuned, app.add_flag("--list-tuned"))
      ->description("Tunes nothing: says what was tuned, and in which files it is found")
      ->group(group);
  add_action(line, Action::forget, app.add_flag("--forget"))
      ->description("Tunes nothing: removes from the output file each --size, or all that it has")
      ->group(group);
  add_action(line, Action::check, app.add_flag("--check"))
      ->description(
          "Tunes nothing: runs and checks every config, or --samples of them,\nonce at each --size (default: "
          "67x197x33)")
      ->group(group);
  add_action(line, Action::prepare, app.add_flag("--prepare"))
      ->description(
          "Tunes nothing: compiles all that clgemm may choose on this device, in as\nmany processes as "
          "there are cores, so that no later call waits for it")
      ->group(group);
  add_action(line, Action::list, app.add_flag("--list"))
      ->description("Tunes nothing: says how many configs each kernel has here")
      ->group(group);
  // For the processes that run configs.
  add_action(line, Action::work, app.add_flag("--worker"))->group("");
  add_action(line, Action::work_for_calibration, app.add_flag("--calibration-worker"))->group("");
  add_action(line, Action::work_for_preparing, app.add_flag("--preparing-worker"))->group("");
}

// Returns tuning if no option requests another action.
Action action_of(const CommandLine& line) {
  const CLI::Option* chosen = nullptr;
  Action result = Action::tune;
  for (const auto& [option, action] : line.actions) {
    if (option->count() == 0) continue;
    if (chosen != nullptr)
      throw bench::UsageError(
          fmt::format("{} and {}: which of the two?", chosen->get_name(), option->get_name()));
    chosen = option;
    result = action;
  }
  return result;
}

// Rejects options that would have no effect.
void refuse_useless(const CLI::App& app, const TuneOptions& options) {
  const bool is_fit = options.action == Action::fit || options.action == Action::regret;
  const bool is_calibration = options.action == Action::calibrate;
  const bool has_samples = is_calibration || options.action == Action::fit;
  const char* const fit = options.action == Action::fit ? "--fit" : "--regret";
  if (!options.samples_to.empty() && !has_samples)
    throw bench::UsageError(
        "--keep-samples needs --calibrate, --quick or --fit: nothing else has samples to keep");
  if (is_fit && options.output.empty())
    throw bench::UsageError(fmt::format("{} needs --output: a tuning file, which names the device", fit));
  const auto refuse = [&app](const std::vector<const char*>& names, const std::string& why) {
    for (const char* one : names) {
      if (app.get_option(one)->count() > 0) throw bench::UsageError(fmt::format("{}: without {}", why, one));
    }
  };
  const std::vector<const char*> of_a_search = {
      "--kernel", "--size", "--space", "--transpose-a", "--transpose-b", "--without-own-choice", "--samples"};
  const std::vector<const char*> of_measuring = {"--budget", "--limit", "--seed", "--fresh"};
  if (is_calibration)
    refuse(of_a_search,
           "--calibrate is of all kernels that clgemm may choose, on shapes of its own (--shapes)");
  const bool is_preparation = options.action == Action::prepare;
  if ((!is_calibration || options.quick) && !is_preparation)
    refuse({"--shapes"}, "only --calibrate and --prepare have as many shapes as wanted");
  if (is_preparation) {
    refuse(of_a_search, "--prepare compiles what clgemm chooses");
    refuse({"--budget", "--fresh", "--output"}, "--prepare measures nothing");
  }
  if (options.action == Action::check)
    refuse({"--budget"}, "--check runs every config, or --samples of them");
  if (is_fit) {
    refuse(of_a_search, fmt::format("{} takes kernels and shapes as its file has them", fit));
    refuse(of_measuring, fmt::format("{} measures nothing", fit));
  }
  const std::map<Action, std::string> of_files = {{Action::export_file, "--export"},
                                                  {Action::import_file, "--import"},
                                                  {Action::list_tuned, "--list-tuned"},
                                                  {Action::forget, "--forget"}};
  if (const auto found = of_files.find(options.action); found != of_files.end()) {
    if (options.action == Action::forget) {
      refuse({"--kernel", "--space", "--without-own-choice", "--samples"}, "--forget is of shapes");
    } else {
      refuse(of_a_search, found->second + " takes all that was measured of the device");
    }
    refuse(of_measuring, found->second + " measures nothing");
  }
}

}  // namespace

std::optional<TuneOptions> parse_options(int argc, char** argv) {
  CommandLine line;
  CLI::App app(description, "clgemm-tune");
  app.footer(footer);
  app.set_version_flag("--version", "clgemm-tune " CLGEMM_VERSION);
  app.get_formatter()->column_width(32);
  add_what(app, line);
  add_how(app, line);
  add_calibration(app, line);
  add_where(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    app.exit(request, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ExtrasError&) {
    throw bench::UsageError(bench::unknown_option(app));
  } catch (const CLI::ParseError& error) {
    throw bench::UsageError(error.what());
  }
  TuneOptions& options = line.options;
  options.action = action_of(line);
  refuse_useless(app, options);
  options.kernel_folder = kernel_folder_or_default(options.kernel_folder);
  for (const std::string& size : line.sizes) options.sizes.push_back(bench::parse_size(size));
  if (!line.kernels.empty()) options.kernels = line.kernels;
  if (std::any_of(line.kernels.begin(), line.kernels.end(), bench::names_a_file)) options.own_choice = false;
  if (!options.space.empty()) {
    if (!line.kernels.empty()) throw bench::UsageError("--space and --kernel: which of the two?");
    options.kernels = {tvm_kernel};
    options.own_choice = false;
    options.search.samples = 0;
  }
  if (options.action == Action::check && app.get_option("--samples")->empty()) options.search.samples = 0;
  return options;
}

std::vector<std::string> arguments_of_worker(std::vector<std::string> action, const TuneOptions& options) {
  if (!options.device.empty()) action.insert(action.end(), {"--device", options.device});
  if (!options.kernel_folder.empty()) action.insert(action.end(), {"--kernel-folder", options.kernel_folder});
  return action;
}

}  // namespace clgemm::tune
