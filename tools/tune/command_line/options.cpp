#include "tune/command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "common/kernel_names.hpp"
#include "common/options.hpp"
#include "common/usage_error.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::tune {
namespace {

constexpr const char* description =
    "Finds the fastest kernel and parameters for this device, and writes them to a file that clgemm reads.\n"
    "Every result is checked. Ctrl-C stops the program; the same command then continues.\n"
    "\n"
    "Exit status: 0 if everything succeeded, 1 if a config gave a wrong result or after an error, 2 for bad "
    "usage,\n"
    "130 if Ctrl-C ended the program.\n";

constexpr const char* footer =
    "The search measures clgemm's own choice and a random sample of the configs, and the best quarter of "
    "the\n"
    "sample again, more carefully. From the best two it then changes one parameter by one step at a time, "
    "as\n"
    "long as this helps. Only a faster config replaces clgemm's own choice.";

// The values that CLI11 fills in, in the words of the command line.
struct CommandLine {
  std::vector<std::string> sizes;
  std::vector<std::string> kernels;
  TuneOptions options;
  bench::Actions<Action> actions;  // other than tuning
};

void add_what(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "What to tune";
  app.add_option("-d,--device", options.device,
                 "The index of a device in `clgemm-bench --list-devices`, or a part of its name")
      ->type_name("NAME")
      ->group(group);
  app.add_option("-s,--size", line.sizes, "Tune this size instead of the default sizes; repeatable")
      ->type_name("N|MxNxK")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("-k,--kernel", line.kernels,
                 "A kernel, or all (default), or a kernel file; repeatable. Nothing is written\n"
                 "for a kernel file, because clgemm does not choose it")
      ->type_name("NAME|FILE.cl")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--kernel-folder", options.kernel_folder,
                 "Search this folder for kernels before the built-in ones")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""))
      ->group(group);
  app.add_option("--space", line.options.space,
                 "tvm36: the 36 configs of the kernel tiled_vector that the TVM article uses.\n"
                 "The winner is a step of clgemm-bench --ladder; clgemm itself does not choose\n"
                 "it")
      ->type_name("tvm36")
      ->check(bench::one_of({"tvm36"}))
      ->group(group);
  app.add_flag_callback(
         "--without-own-choice", [&options] { options.own_choice = false; },
         "Write the best of these kernels, even if clgemm's own choice is faster")
      ->group(group);
  app.add_flag("--transpose-a", options.transpose_a, "Tune for a transposed A")->group(group);
  app.add_flag("--transpose-b", options.transpose_b, "Tune for a transposed B")->group(group);
}

void add_how(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "How to search";
  app.add_option("--seed", options.search.seed, "Seed of random choices (default: 1)")
      ->type_name("N")
      ->group(group);
  app.add_option("--samples", options.search.samples,
                 "Number of configs in the first sample of each size, or 0 for all (default: 60)")
      ->type_name("N")
      ->check(bench::between(0, 1000000))
      ->group(group);
  app.add_option("--budget", options.budget_s, "Total time for measuring, divided equally among the sizes")
      ->type_name("SECONDS")
      ->check(bench::between(0.001, 1e9))
      ->group(group);
  app.add_option("--limit", options.limit_s, "Time limit for one config, including compilation (default: 30)")
      ->type_name("SECONDS")
      ->check(bench::between(0.001, 1e9))
      ->group(group);
}

void add_calibration(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "The speed model";
  line.actions.add(Action::calibrate, app.add_flag("--calibrate"))
      ->description(
          "Measure all configs that can be the fastest, on random shapes, and fit the\n"
          "speed model, from which clgemm chooses for every shape. Print the regret on\n"
          "shapes that were not used for the fit. --budget is 600 by default. Shapes\n"
          "that are not measured by then are left out. The fit takes additional time")
      ->group(group);
  line.actions.add(Action::calibrate, app.add_flag("--quick", options.quick))
      ->description(
          "Like --calibrate, with 9 s of measuring: only the few configs that are best\n"
          "on other devices, on some shapes. --budget is 9 by default. Compilation and\n"
          "the fit take additional time")
      ->group(group);
  app.add_option("--shapes", options.calibration_shapes,
                 "The largest number of shapes to measure (default: 64). Also measured are a\n"
                 "third as many batches, an eighth as many large shapes, and shapes of one\n"
                 "column (six on CPUs, 24 on GPUs). With --prepare: the number of shapes to\n"
                 "compile for (default: 768)")
      ->type_name("N")
      ->check(CLI::Range(least_shapes, std::size_t{10000}).description(""))
      ->group(group);
  app.add_option("--keep-samples", options.samples_to,
                 "With --calibrate, --quick or --fit: also write the measured and predicted\n"
                 "times to this file, as CSV; clgemm-bench --report makes charts of it")
      ->type_name("FILE")
      ->group(group);
  line.actions.add(Action::fit, app.add_option("--fit", options.fit_from))
      ->description(
          "Measure nothing, and fit the speed model to a file of --keep-samples. The\n"
          "--output file must exist and names the device")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
  line.actions.add(Action::regret, app.add_option("--regret", options.fit_from))
      ->description(
          "Measure nothing, and print the regret of the --output file on the samples of\n"
          "another run (a file of --keep-samples)")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
}

void add_where(CLI::App& app, CommandLine& line) {
  TuneOptions& options = line.options;
  const char* group = "Where it goes";
  app.add_option("-o,--output", options.output,
                 "The tuning file (default: ~/.config/clgemm/tuning/DEVICE.json, which clgemm\n"
                 "reads). Its data for other shapes are kept")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--fresh", options.fresh, "Discard the measurements of a run that was stopped")->group(group);
  line.actions.add(Action::export_file, app.add_option("--export", options.other_file))
      ->description(
          "Tune nothing, and write the data of the output file in the form of the files\nin kernels/tuned/")
      ->type_name("FILE")
      ->group(group);
  line.actions.add(Action::import_file, app.add_option("--import", options.other_file))
      ->description("Tune nothing, and add the data of such a file for this device to the output\nfile")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->group(group);
  line.actions.add(Action::list_tuned, app.add_flag("--list-tuned"))
      ->description("Tune nothing, and print what was tuned, and in which files it is")
      ->group(group);
  line.actions.add(Action::forget, app.add_flag("--forget"))
      ->description("Tune nothing, and remove the data for each --size, or all data, from the\noutput file")
      ->group(group);
  line.actions.add(Action::check, app.add_flag("--check"))
      ->description(
          "Tune nothing, but run and check every config, or --samples of them, once at\n"
          "each --size (default: 67x197x33)")
      ->group(group);
  line.actions.add(Action::prepare, app.add_flag("--prepare"))
      ->description(
          "Tune nothing, but compile everything that clgemm may choose on this device,\n"
          "with one process for each core, so that no later call has to wait for the\n"
          "compiler")
      ->group(group);
  app.add_option("--keep-programs", options.programs_to,
                 "With --prepare on an NVIDIA GPU: also write these programs into this new\n"
                 "folder, for kernels/precompiled/assemble.py")
      ->check(CLI::NonexistentPath)
      ->type_name("FOLDER")
      ->group(group);
  line.actions.add(Action::list, app.add_flag("--list"))
      ->description("Tune nothing, and print how many configs each kernel has on this device")
      ->group(group);
  // For the processes that run configs.
  line.actions.add(Action::work, app.add_flag("--worker"))->group("");
  line.actions.add(Action::work_for_calibration, app.add_flag("--calibration-worker"))->group("");
  line.actions.add(Action::work_for_preparing, app.add_flag("--preparing-worker"))->group("");
}

// Rejects options that would have no effect.
void refuse_useless(const CLI::App& app, const TuneOptions& options) {
  const bool is_fit = options.action == Action::fit || options.action == Action::regret;
  const bool is_calibration = options.action == Action::calibrate;
  const bool has_samples = is_calibration || options.action == Action::fit;
  const char* const fit = options.action == Action::fit ? "--fit" : "--regret";
  if (!options.samples_to.empty() && !has_samples)
    throw bench::UsageError(
        "--keep-samples needs --calibrate, --quick or --fit, because only these have samples");
  if (!options.programs_to.empty() && options.action != Action::prepare)
    throw bench::UsageError("--keep-programs needs --prepare, because only this compiles for all calls");
  if (is_fit && options.output.empty())
    throw bench::UsageError(fmt::format("{} needs --output, a tuning file that names the device", fit));
  const auto refuse = [&app](const std::vector<const char*>& names, const std::string& why) {
    for (const char* one : names) {
      if (app.get_option(one)->count() > 0)
        throw bench::UsageError(fmt::format("{}; {} has no effect", why, one));
    }
  };
  const std::vector<const char*> of_a_search = {
      "--kernel", "--size", "--space", "--transpose-a", "--transpose-b", "--without-own-choice", "--samples"};
  const std::vector<const char*> of_measuring = {"--budget", "--limit", "--seed", "--fresh"};
  if (is_calibration)
    refuse(of_a_search,
           "--calibrate measures all kernels that clgemm may choose, on its own shapes (--shapes)");
  const bool is_preparation = options.action == Action::prepare;
  if ((!is_calibration || options.quick) && !is_preparation)
    refuse({"--shapes"}, "the number of shapes can be set only for --calibrate and --prepare");
  if (is_preparation) {
    refuse(of_a_search, "--prepare compiles what clgemm chooses");
    refuse({"--budget", "--fresh", "--output"}, "--prepare measures nothing");
  }
  if (options.action == Action::check)
    refuse({"--budget"}, "--check runs every config, or as many as --samples says");
  if (is_fit) {
    refuse(of_a_search, fmt::format("{} uses the kernels and shapes of its file", fit));
    refuse(of_measuring, fmt::format("{} measures nothing", fit));
  }
  const std::map<Action, std::string> of_files = {{Action::export_file, "--export"},
                                                  {Action::import_file, "--import"},
                                                  {Action::list_tuned, "--list-tuned"},
                                                  {Action::forget, "--forget"}};
  if (const auto found = of_files.find(options.action); found != of_files.end()) {
    if (options.action == Action::forget) {
      refuse({"--kernel", "--space", "--without-own-choice", "--samples"},
             "--forget removes the data of shapes");
    } else {
      refuse(of_a_search, found->second + " uses all measurements of the device");
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
  if (!bench::parse(app, argc, argv)) return std::nullopt;
  TuneOptions& options = line.options;
  options.action = line.actions.given(Action::tune).second;
  refuse_useless(app, options);
  options.kernel_folder = kernel_folder_or_default(options.kernel_folder);
  for (const std::string& size : line.sizes) options.sizes.push_back(bench::parse_size(size));
  if (!line.kernels.empty()) options.kernels = line.kernels;
  if (std::any_of(line.kernels.begin(), line.kernels.end(), bench::names_a_file)) options.own_choice = false;
  if (!options.space.empty()) {
    if (!line.kernels.empty()) throw bench::UsageError("--space and --kernel cannot be used together");
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
