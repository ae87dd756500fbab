#include "command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>

#include "command_line/suites.hpp"
#include "common/kernel_names.hpp"
#include "common/option_checks.hpp"
#include "common/usage_error.hpp"
#include "kernel/kernel_file.hpp"
#include "kernel/precision.hpp"

namespace clgemm::bench {
namespace {

const std::map<std::string, Format> formats = {
    {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}, {"markdown", Format::markdown}};
const std::map<std::string, Precision> precisions = [] {
  std::map<std::string, Precision> named;
  for (const NamedPrecision& one : clgemm::precisions) named.emplace(one.name, one.precision);
  return named;
}();
const std::map<std::string, Layout> layouts = {{"row", Layout::row_major}, {"column", Layout::column_major}};

const std::map<std::string, Action> cache_actions = {{"info", Action::show_cache},
                                                     {"clear", Action::clear_cache},
                                                     {"clear-quarantine", Action::clear_quarantine}};

// The values that CLI11 fills in, in the words of the command line.
struct CommandLine {
  std::vector<std::string> kernels;
  std::vector<std::string> parameters;
  std::vector<std::string> sizes;
  std::vector<std::string> peers;
  std::vector<std::string> suites;
  std::string sides;
  std::string gflop;
  std::string format = "table";
  std::string layout = "row";
  std::string precision = "fp32_equivalent";
  std::string cache;
  std::vector<std::string> compare;
  std::vector<std::string> from;
  std::vector<std::string> markdown;
  BenchOptions options;

  // Actions other than measuring, by the option that requests them. Only one can be given.
  std::vector<std::pair<CLI::Option*, Action>> actions;
};

// The help does not list what an option excludes, because each action would list all others. The error
// message says it.
class ShortFormatter : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const bool repeatable = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return fmt::format(" {}{}", option->get_type_name(), repeatable ? " ..." : "");
  }
};

template <class Value>
CLI::Validator one_key_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& choice : choices) names.push_back(choice.first);
  return one_of(names);
}

const CLI::Validator any_number = between(-3.4e38, 3.4e38);

// Adds an option that may be repeated, with one value each time.
CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const char* type, const char* text) {
  return app.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
}

void add_random_shapes(CLI::App& app, CommandLine& line, const char* group) {
  RandomShapes& random = line.options.random;
  CLI::Option* count =
      app.add_option("--random", random.count,
                     "In place of sizes: so many shapes with log-uniform\nsides, each beside "
                     "the peers, and a summary");
  count->type_name("COUNT")->check(between(1, 100000))->excludes("--size")->excludes("--suite")->group(group);
  app.add_option("--seed", random.seed, "Of the random shapes (default: 1)")
      ->type_name("NUMBER")
      ->check(between(0, 2147483647))
      ->needs(count)
      ->group(group);
  app.add_option("--sides", line.sides, "Bounds of m, n and k (default: 16-9400)")
      ->type_name("LEAST-MOST")
      ->needs(count)
      ->group(group);
  app.add_option("--gflop", line.gflop, "Bounds of 2 m n k, in 10^9 (default: 0.2-600, on\nCPUs 0.1-20)")
      ->type_name("LEAST-MOST")
      ->needs(count)
      ->group(group);
  app.add_flag("--varied", random.varied, "Random transposes, layouts and gaps, too")
      ->needs(count)
      ->group(group);
}

void add_what_to_multiply(CLI::App& app, CommandLine& line) {
  const char* group = "What to multiply";
  MultiplyKind& kind = line.options.kind;
  add_repeatable(app, "-s,--size", line.sizes, "N|MxNxK",
                 "C is m x n, k the depth (default: 1024); repeatable")
      ->group(group);
  add_repeatable(app, "--suite", line.suites, "seeds|shapes|dnn",
                 "In place of sizes: those of well-known tutorials,\nsquare to thin shapes, or layers of "
                 "networks;\nrepeatable")
      ->check(one_of(suite_names()))
      ->excludes("--size")
      ->group(group);
  add_random_shapes(app, line, group);
  app.add_option("--batch", kind.batch_count,
                 "So many multiplies of each size in one call, their\nmatrices one behind the other")
      ->type_name("COUNT")
      ->check(between(1, 1000000))
      ->group(group);
  app.add_flag_callback(
         "--transpose-a", [&kind] { kind.transpose_a = Transpose::yes; }, "A is stored transposed")
      ->group(group);
  app.add_flag_callback(
         "--transpose-b", [&kind] { kind.transpose_b = Transpose::yes; }, "B is stored transposed")
      ->group(group);
  app.add_option("--layout", line.layout, "Which lie together in memory (default: row)")
      ->type_name("row|column")
      ->check(one_key_of(layouts))
      ->group(group);
  app.add_option("--gap", kind.gap,
                 "Elements between the rows (or columns) of each matrix:\nleading dimensions that much "
                 "larger (default: 0)")
      ->type_name("COUNT")
      ->check(between(0, 1000000))
      ->group(group);
  for (const char* given : {"--transpose-a", "--transpose-b", "--layout", "--gap"})
    app.get_option("--varied")->excludes(given);
  app.add_option("--alpha", kind.alpha, "C <- alpha * op(A) * op(B) + beta * C (default: 1)")
      ->type_name("X")
      ->check(any_number)
      ->group(group);
  app.add_option("--beta", kind.beta, "The same (default: 0)")
      ->type_name("X")
      ->check(any_number)
      ->group(group);
}

void add_with_what(CLI::App& app, CommandLine& line) {
  const char* group = "With what";
  add_repeatable(
      app, "-k,--kernel", line.kernels, "NAME",
      "A kernel, a variant, a file (mine.cl), all, or\nauto: clgemm's choice (default); repeatable")
      ->group(group);
  add_repeatable(app, "-p,--param", line.parameters, "NAME=VALUE",
                 "For the kernels that are named; repeatable")
      ->group(group);
  app.add_option("--precision", line.precision,
                 "Any way that is as exact as fp32 arithmetic (default),\nor the device's fp32 units alone")
      ->type_name("fp32_equivalent|fp32")
      ->check(one_key_of(precisions))
      ->group(group);
  app.add_flag(
         "--ladder", line.options.ladder,
         "The kernels one after the other, from the simplest\nto the fastest, after two loops on the host")
      ->excludes("--kernel")
      ->excludes("--param")
      ->group(group);
  add_repeatable(
      app, "--peer", line.peers, "NAME[=VALUE]",
      "Measured beside them on the same data: clblast\n(default), clblast-tuned=FILE.json,..., openblas,\n"
      "cblas=LIBRARY, cublas[=FOLDER], cublasxt[=FOLDER]\nor none; repeatable")
      ->group(group);
  app.add_option("--kernel-folder", line.options.kernel_folder,
                 "Searched for kernels before the built-in ones")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""))
      ->group(group);
  add_repeatable(
      app, "-d,--device", line.options.devices, "INDEX|NAME",
      "As --list-devices has it, or a part of its name\n(default: CLGEMM_DEVICE, else a GPU, else a "
      "CPU);\nrepeatable, with --host-to-host: they share the\nmultiply, the first one is measured "
      "alone, too")
      ->group(group);
}

CLI::Option* add_action(CommandLine& line, Action action, CLI::Option* option, const char* group) {
  for (const auto& [other, other_action] : line.actions) option->excludes(other);
  line.actions.emplace_back(option, action);
  return option->group(group);
}

void add_what_else_to_measure(CLI::App& app, CommandLine& line, const char* group) {
  BenchOptions& options = line.options;
  app.add_flag("--rotate", options.rotate,
               "Take turns among so many copies of A, B and C that\nnone stays in a cache")
      ->group(group);
  app.add_flag("--host-to-host", options.host_to_host, "Time the call on matrices in the host's memory, too")
      ->group(group);
  app.add_flag("--first-call", options.first_call,
               "Time the first call of new processes, too: with empty\ncaches, and with those that one left")
      ->group(group);
  app.add_flag("--ceilings", options.ceilings,
               "Measure the device's peak of multiply-adds and of its\nmemory, and show percents of it")
      ->group(group);
  app.add_option("--trial-seconds", options.trial_seconds,
                 "A --kernel FILE is first tried in a process of its\nown, for so long at most (default: 60)")
      ->type_name("COUNT")
      ->check(between(1, 86400))
      ->group(group);
  // For child processes of the bench.
  add_action(line, Action::trial, app.add_option("--trial-of", options.trial_of), "");
  add_action(line, Action::first_call, app.add_option("--first-call-of", options.first_call_of), "");
}

void add_how_to_measure(CLI::App& app, CommandLine& line) {
  const char* group = "How to measure";
  app.add_option("--runs", line.options.runs, "Timed runs of each kernel (default: 20)")
      ->type_name("COUNT")
      ->check(between(1, 1000000))
      ->group(group);
  app.add_option("--warmup", line.options.warmup, "Runs before those (default: 10)")
      ->type_name("COUNT")
      ->check(between(0, 1000000))
      ->group(group);
  app.add_option("--max-seconds", line.options.max_seconds,
                 "Limit for the runs of one kernel at one size;\none run is always made (default: 5)")
      ->type_name("SECONDS")
      ->check(between(0.0, 1e6))
      ->group(group);
  app.add_flag_callback(
         "--no-baseline", [&line] { line.options.baseline = false; },
         "Do not measure naive, where it is not named; so it\nis with --random")
      ->group(group);
  app.add_flag_callback(
         "--no-check", [&line] { line.options.check = false; }, "Do not check the results")
      ->group(group);
  add_what_else_to_measure(app, line, group);
}

void add_output(CLI::App& app, CommandLine& line) {
  const char* group = "What to print";
  app.add_option("-f,--format", line.format, "(default: table)")
      ->type_name("table|json|csv")
      ->check(one_key_of(formats))
      ->group(group);
  app.add_option("-o,--output", line.options.output, "Write there instead of to standard output")
      ->type_name("FILE")
      ->group(group);
  const auto add = [&](Action action, const char* name, const char* text) {
    add_action(line, action, app.add_flag(name)->description(text), group);
  };
  add(Action::accuracy, "--accuracy",
      "How exact kernels and peers are on numbers that are\nhard in different ways, where C has as "
      "many rows as\n--size says; nothing is measured");
  add(Action::explain, "--explain",
      "clgemm's plan for each size, in words; nothing is\nmeasured (with --host-to-host: of that call)");
  add(Action::list_devices, "--list-devices", "The OpenCL devices");
  add(Action::list_kernels, "--list-kernels", "The kernels, their variants and parameters");
}

void add_files(CLI::App& app, CommandLine& line) {
  const char* group = "What to make of results (JSON files of this program)";
  CLI::Option* report = app.add_option("--report", line.options.report,
                                       "After the run, write a page with pictures and the\nJSON there");
  add_action(line, Action::measure, report->type_name("DIR"), group);
  app.add_option("--from", line.from, "--report of these results, without a run")
      ->type_name("FILE...")
      ->expected(1, 1000)
      ->needs(report)
      ->group(group);
  app.add_option(
         "--samples", line.options.samples,
         "What clgemm-tune --keep-samples has written: on the\npage, which config is fast where, and the "
         "regret")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->needs(report)
      ->group(group);
  CLI::Option* compare =
      app.add_option("--compare", line.compare,
                     "What got faster or slower beyond the noise; exit\nstatus 1 where "
                     "something got slower or is missing. Of\nmore than two files, the oldest "
                     "first: a column for each");
  compare->type_name("OLD NEW...")->expected(2, 1000);
  add_action(line, Action::compare, compare, group);
  CLI::Option* markdown =
      app.add_option("--markdown", line.markdown, "Tables of these results, as docs/results.md has them");
  add_action(line, Action::markdown, markdown->type_name("FILE...")->expected(1, 1000), group);
}

void add_own_kernels(CLI::App& app, CommandLine& line) {
  const char* group = "Your own kernels, and what is compiled";
  CLI::Option* new_kernel = app.add_option("--new-kernel", line.options.new_kernel,
                                           "Write a commented kernel that passes, to begin from");
  add_action(line, Action::new_kernel, new_kernel->type_name("FILE"), group);
  CLI::Option* show_kernel = app.add_option("--show-kernel", line.options.show_kernel,
                                            "Print the file of a kernel, or one that kernels\ninclude "
                                            "(common/store.cl)");
  add_action(line, Action::show_kernel, show_kernel->type_name("NAME"), group);
  CLI::Option* watch = app.add_flag("--watch")->description(
      "Measure again, without peers, whenever the file of a\n--kernel or one that it includes changes");
  add_action(line, Action::watch, watch, group);
  app.add_option("--watch-rounds", line.options.watch_rounds, "End --watch after so many measurements")
      ->type_name("COUNT")
      ->check(between(1, 1000000))
      ->needs(watch)
      ->group(group);
  CLI::Option* why = app.add_flag("--why")->description(
      "What is known of the --kernel at each size, before and\nafter it ran, and the first thing to try");
  add_action(line, Action::why, why, group);
  CLI::Option* assembly =
      app.add_option("--asm", line.options.assembly,
                     "Write what the compiler made of the --kernel at the\n--size: PTX, or the "
                     "program disassembled by objdump,\nelse its binary");
  add_action(line, Action::assembly, assembly->type_name("FILE"), group);
  CLI::Option* races = app.add_flag("--races")->description(
      "Run the --kernel small under Oclgrind: races, accesses\nout of bounds and divergent barriers, by "
      "their lines");
  add_action(line, Action::races, races, group);
  CLI::Option* cache = app.add_option("--cache", line.cache,
                                      "The compiled programs on disk: show where and how\nmany, or remove "
                                      "them");
  add_action(line, Action::show_cache,
             cache->type_name("info|clear|clear-quarantine")->check(one_key_of(cache_actions)), group);
}

void parse_parameter(const std::string& text, Parameters& parameters) {
  const std::size_t equals = text.find('=');
  std::int64_t value = 0;
  if (equals != std::string::npos && equals != 0) {
    const char* end = text.data() + text.size();
    const auto [rest, status] = std::from_chars(text.data() + equals + 1, end, value);
    if (status == std::errc() && rest == end) {
      parameters[text.substr(0, equals)] = value;
      return;
    }
  }
  throw UsageError(fmt::format("--param: '{}' is not NAME=VALUE with an integer value", text));
}

bool names_one_kernel(const std::string& kernel) {
  return kernel != "all" && kernel != "auto";
}

// Checks combinations of values. Combinations of options are checked when the options are added.
void check_values(const BenchOptions& options) {
  if (options.ladder && options.sizes.size() != 1) throw UsageError("--ladder takes one --size");
  const auto& kernels = options.kernels;
  if (options.action == Action::watch && std::none_of(kernels.begin(), kernels.end(), names_a_file)) {
    throw UsageError("--watch needs a --kernel FILE.cl");
  }
  const bool is_of_one = options.action == Action::races || options.action == Action::assembly;
  if (is_of_one && (kernels.size() != 1 || !names_one_kernel(kernels.front()))) {
    throw UsageError(fmt::format("{} needs one --kernel: a name, or FILE.cl",
                                 options.action == Action::races ? "--races" : "--asm"));
  }
  if (options.kind.batch_count > 1) {
    if (options.ladder) throw UsageError("--ladder is of one multiply, without --batch");
    if (options.action == Action::accuracy)
      throw UsageError("--accuracy is of one multiply, without --batch");
    if (options.host_to_host) throw UsageError("--host-to-host: there is no such call of a batch (--batch)");
  }
  if (options.devices.size() > 1 && !options.host_to_host)
    throw UsageError("--device: several share a multiply of host matrices alone (--host-to-host)");
  if (options.parameters.empty()) return;
  for (const std::string& kernel : kernels) {
    if (names_one_kernel(kernel)) continue;
    throw UsageError(fmt::format("--param needs kernels that are named by --kernel, not '{}'", kernel));
  }
}

Action action_of(const CommandLine& line) {
  if (!line.cache.empty()) return cache_actions.at(line.cache);
  if (!line.from.empty()) return Action::report_files;
  const auto asked = std::find_if(line.actions.begin(), line.actions.end(),
                                  [](const auto& action) { return action.first->count() > 0; });
  return asked == line.actions.end() ? Action::measure : asked->second;
}

// Returns the option that requests an action other than measuring. --from has no action of its own.
std::string name_of_action(const CommandLine& line) {
  if (!line.from.empty()) return "--from";
  for (const auto& [option, action] : line.actions) {
    if (option->count() > 0) return option->get_name();
  }
  return "";
}

// Texts are written to --output, and have only one format.
void check_output(const CommandLine& line, const BenchOptions& options) {
  if (options.action == Action::measure) return;
  const std::string name = name_of_action(line);
  const bool is_of_a_comparison = options.action == Action::compare && options.format != Format::csv;
  if (options.format != Format::table && !is_of_a_comparison) {
    throw UsageError(
        fmt::format("--format: {} is of measurements, {} has a text of its own", line.format, name));
  }
  constexpr std::array without_output = {Action::watch, Action::new_kernel, Action::assembly,
                                         Action::report_files};
  const bool writes_there =
      std::find(without_output.begin(), without_output.end(), options.action) == without_output.end();
  if (!options.output.empty() && !writes_there)
    throw UsageError(fmt::format("--output: {} writes nothing there", name));
}

// --kernel-folder is checked when it is added. Actions that read no kernel ignore it.
void check_kernel_folder(const BenchOptions& options) {
  constexpr std::array reading = {Action::measure, Action::watch,        Action::accuracy,
                                  Action::explain, Action::list_kernels, Action::show_kernel,
                                  Action::trial,   Action::first_call,   Action::races,
                                  Action::why,     Action::assembly};
  if (std::find(reading.begin(), reading.end(), options.action) == reading.end()) return;
  const std::string folder = kernel_folder_or_default(options.kernel_folder);
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw UsageError(fmt::format("CLGEMM_KERNEL_DIR: '{}' is not a folder", folder));
}

// Reads the bounds of an option. Errors name the option.
Bounds bounds_of(const char* option, const std::string& text) {
  try {
    return parse_bounds(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

void set_random_shapes(const CommandLine& line, BenchOptions& options) {
  if (options.random.count == 0) return;
  if (options.action == Action::accuracy) throw UsageError("--accuracy takes a --size, not --random");
  options.baseline = false;
  if (!line.sides.empty()) options.random.sides = bounds_of("--sides", line.sides);
  if (options.random.sides.most > largest_side) {
    throw UsageError(fmt::format("--sides: '{}' is beyond {}", line.sides, largest_side));
  }
  if (!line.gflop.empty()) options.random.gflop = bounds_of("--gflop", line.gflop);
}

void set_sizes(const CommandLine& line, BenchOptions& options) {
  if (!line.suites.empty()) {
    options.suites = line.suites;
    options.suite_kernels = line.kernels.empty();
    if (options.suite_kernels) options.kernels = kernels_of_suites(line.suites);
  }
  set_random_shapes(line, options);
  const bool in_place_of_sizes = !line.suites.empty() || options.random.count > 0;
  if (!line.sizes.empty() || in_place_of_sizes) options.sizes.clear();
  for (const std::string& size : line.sizes) {
    try {
      options.sizes.push_back(parse_size(size));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--size: {}", error.what()));
    }
  }
}

BenchOptions options_of(const CommandLine& line) {
  BenchOptions options = line.options;
  options.action = action_of(line);
  for (const auto* files : {&line.from, &line.compare, &line.markdown}) {
    options.files.insert(options.files.end(), files->begin(), files->end());
  }
  if (!line.kernels.empty()) options.kernels = line.kernels;
  for (const std::string& parameter : line.parameters) parse_parameter(parameter, options.parameters);
  if (!line.peers.empty()) options.peers = parse_peers(line.peers);
  set_sizes(line, options);
  options.kind.layout = layouts.at(line.layout);
  options.precision = precisions.at(line.precision);
  options.format = formats.at(line.format);
  if (!options.devices.empty()) options.device = options.devices.front();
  check_values(options);
  check_output(line, options);
  check_kernel_folder(options);
  return options;
}

}  // namespace

std::optional<BenchOptions> parse_options(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app(
      "Measures the kernels of clgemm on an OpenCL device, beside their peers and on the same data,\n"
      "and checks every result.\n\n"
      "Exit status: 0 when every check passed, 1 when one failed or on an error, 2 for bad usage,\n"
      "130 if Ctrl-C ended it, 143 if SIGTERM did; what was measured until then is written.\n",
      "clgemm-bench");
  app.set_help_flag("-h,--help", "Print this and exit");
  app.set_version_flag("--version", "clgemm-bench " CLGEMM_VERSION);
  const auto formatter = std::make_shared<ShortFormatter>();
  formatter->column_width(34);
  app.formatter(formatter);
  add_what_to_multiply(app, line);
  add_with_what(app, line);
  add_how_to_measure(app, line);
  add_output(app, line);
  add_files(app, line);
  add_own_kernels(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    app.exit(request, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(unknown_option(app));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return options_of(line);
}

}  // namespace clgemm::bench
