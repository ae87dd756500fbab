#include "command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <tuple>

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

// The values that CLI11 fills in, in the words of the command line.
struct CommandLine {
  std::string word;                // the value of an option that read_by() reads
  std::vector<std::string> words;  // the same for options that can be repeated
  std::vector<std::string> kernels;
  std::vector<Size> sizes;
  std::vector<std::string> peers;
  std::string format = "table";
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
std::vector<std::string> keys_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

// Adds an option for one of these words.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const char* name, Value& value,
                        const std::map<std::string, Value>& choices, const char* type, const char* text) {
  const auto set = [&](const std::string& word) { value = choices.at(word); };
  return app.add_option_function<std::string>(name, set, text)
      ->type_name(type)
      ->check(one_of(keys_of(choices)));
}

// A validator that reads a value. The option's error is that of `read`.
CLI::Validator read_by(const std::function<void(const std::string&)>& read) {
  return {[read](std::string& text) {
            try {
              read(text);
            } catch (const UsageError& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          ""};
}

template <class Value, class Number>
CLI::Option* add_number(CLI::App& app, const char* name, Value& value, Number least, Number most,
                        const char* type, const char* text) {
  return app.add_option(name, value, text)->type_name(type)->check(between(least, most));
}

// Adds an option that may be repeated, with one value each time.
CLI::Option* add_repeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                            const char* type, const char* text) {
  return app.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
}

CLI::Option* add_folder(CLI::App& app, const char* name, std::string& value, const char* text) {
  return app.add_option(name, value, text)
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
}

CLI::Option* add_action(CommandLine& line, Action action, CLI::Option* option) {
  for (const auto& [other, other_action] : line.actions) option->excludes(other);
  line.actions.emplace_back(option, action);
  return option;
}

CLI::Option* add_action(CLI::App& app, CommandLine& line, Action action, const char* name, const char* text) {
  return add_action(line, action, app.add_flag(name)->description(text));
}

template <class Value>
CLI::Option* add_action(CLI::App& app, CommandLine& line, Action action, const char* name, Value& value,
                        const char* type, const char* text) {
  return add_action(line, action, app.add_option(name, value, text)->type_name(type));
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
  throw UsageError(fmt::format("'{}' is not NAME=VALUE with an integer value", text));
}

void add_random_shapes(CLI::App& app, CommandLine& line) {
  RandomShapes& random = line.options.random;
  CLI::Option* count = add_number(app, "--random", random.count, 1, 100000, "COUNT",
                                  "In place of sizes: so many shapes with log-uniform\nsides, each beside "
                                  "the peers, and a summary");
  count->excludes("--size")->excludes("--suite");
  add_number(app, "--seed", random.seed, 0, 2147483647, "NUMBER", "Of the random shapes (default: 1)")
      ->needs(count);
  app.add_option("--sides", line.word, "Bounds of m, n and k (default: 16-9400)")
      ->type_name("LEAST-MOST")
      ->check(read_by([&](const std::string& text) {
        random.sides = parse_bounds(text);
        if (random.sides.most > largest_side)
          throw UsageError(fmt::format("'{}' is beyond {}", text, largest_side));
      }))
      ->needs(count);
  app.add_option("--gflop", line.word, "Bounds of 2 m n k, in 10^9 (default: 0.2-600, on\nCPUs 0.1-20)")
      ->type_name("LEAST-MOST")
      ->check(read_by([&](const std::string& text) { random.gflop = parse_bounds(text); }))
      ->needs(count);
  app.add_flag("--varied", random.varied, "Random transposes, layouts and gaps, too")->needs(count);
}

void add_what_to_multiply(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to multiply");
  MultiplyKind& kind = line.options.kind;
  add_repeatable(app, "-s,--size", line.words, "N|MxNxK",
                 "C is m x n, k the depth (default: 1024); repeatable")
      ->check(read_by([&](const std::string& text) { line.sizes.push_back(parse_size(text)); }));
  add_repeatable(app, "--suite", line.options.suites, "seeds|shapes|dnn",
                 "In place of sizes: those of well-known tutorials,\nsquare to thin shapes, or layers of "
                 "networks;\nrepeatable")
      ->check(one_of(suite_names()))
      ->excludes("--size");
  add_random_shapes(app, line);
  add_number(app, "--batch", kind.batch_count, 1, 1000000, "COUNT",
             "So many multiplies of each size in one call, their\nmatrices one behind the other");
  app.add_flag_callback(
      "--transpose-a", [&kind] { kind.transpose_a = Transpose::yes; }, "A is stored transposed");
  app.add_flag_callback(
      "--transpose-b", [&kind] { kind.transpose_b = Transpose::yes; }, "B is stored transposed");
  add_choice(app, "--layout", kind.layout, layouts, "row|column",
             "Which lie together in memory (default: row)");
  add_number(app, "--gap", kind.gap, 0, 1000000, "COUNT",
             "Elements between the rows (or columns) of each matrix:\nleading dimensions that much "
             "larger (default: 0)");
  for (const char* given : {"--transpose-a", "--transpose-b", "--layout", "--gap"})
    app.get_option("--varied")->excludes(given);
  add_number(app, "--alpha", kind.alpha, -3.4e38, 3.4e38, "X",
             "C <- alpha * op(A) * op(B) + beta * C (default: 1)");
  add_number(app, "--beta", kind.beta, -3.4e38, 3.4e38, "X", "The same (default: 0)");
}

void add_with_what(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("With what");
  BenchOptions& options = line.options;
  add_repeatable(
      app, "-k,--kernel", line.kernels, "NAME",
      "A kernel, a variant, a file (mine.cl), all, or\nauto: clgemm's choice (default); repeatable");
  add_repeatable(app, "-p,--param", line.words, "NAME=VALUE", "For the kernels that are named; repeatable")
      ->check(read_by([&](const std::string& text) { parse_parameter(text, options.parameters); }));
  add_choice(app, "--precision", options.precision, precisions, "fp32_equivalent|fp32",
             "Any way that is as exact as fp32 arithmetic (default),\nor the device's fp32 units alone");
  app.add_flag(
         "--ladder", options.ladder,
         "The kernels one after the other, from the simplest\nto the fastest, after two loops on the host")
      ->excludes("--kernel")
      ->excludes("--param");
  add_repeatable(
      app, "--peer", line.peers, "NAME[=VALUE]",
      "Measured beside them on the same data: clblast\n(default), clblast-tuned=FILE.json,..., openblas,\n"
      "cblas=LIBRARY, cublas[=FOLDER], cublasxt[=FOLDER]\nor none; repeatable");
  add_folder(app, "--kernel-folder", options.kernel_folder, "Searched for kernels before the built-in ones");
  add_repeatable(
      app, "-d,--device", options.devices, "INDEX|NAME",
      "As --list-devices has it, or a part of its name\n(default: CLGEMM_DEVICE, else a GPU, else a "
      "CPU);\nrepeatable, with --host-to-host: they share the\nmultiply, the first one is measured "
      "alone, too");
}

void add_how_to_measure(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("How to measure");
  BenchOptions& options = line.options;
  add_number(app, "--runs", options.runs, 1, 1000000, "COUNT", "Timed runs of each kernel (default: 20)");
  add_number(app, "--warmup", options.warmup, 0, 1000000, "COUNT", "Runs before those (default: 10)");
  add_number(app, "--max-seconds", options.max_seconds, 0.0, 1e6, "SECONDS",
             "Limit for the runs of one kernel at one size;\none run is always made (default: 5)");
  app.add_flag_callback(
      "--no-baseline", [&options] { options.baseline = false; },
      "Do not measure naive, where it is not named; so it\nis with --random");
  app.add_flag_callback(
      "--no-check", [&options] { options.check = false; }, "Do not check the results");
  app.add_flag("--rotate", options.rotate,
               "Take turns among so many copies of A, B and C that\nnone stays in a cache");
  app.add_flag("--host-to-host", options.host_to_host, "Time the call on matrices in the host's memory, too");
  app.add_flag("--first-call", options.first_call,
               "Time the first call of new processes, too: with empty\ncaches, and with those that one left");
  app.add_flag("--ceilings", options.ceilings,
               "Measure the device's peak of multiply-adds and of its\nmemory, and show percents of it");
  add_number(app, "--trial-seconds", options.trial_seconds, 1, 86400, "COUNT",
             "A --kernel FILE is first tried in a process of its\nown, for so long at most (default: 60)");
  // For child processes of the bench.
  add_action(line, Action::trial, app.add_option("--trial-of", options.trial_of))->group("");
  add_action(line, Action::first_call, app.add_option("--first-call-of", options.first_call_of))->group("");
}

void add_output(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to print");
  app.add_option("-f,--format", line.format, "(default: table)")
      ->type_name("table|json|csv")
      ->check(one_of(keys_of(formats)));
  app.add_option("-o,--output", line.options.output, "Write there instead of to standard output")
      ->type_name("FILE");
  add_action(app, line, Action::accuracy, "--accuracy",
             "How exact kernels and peers are on numbers that are\nhard in different ways, where C has as "
             "many rows as\n--size says; nothing is measured");
  add_action(
      app, line, Action::explain, "--explain",
      "clgemm's plan for each size, in words; nothing is\nmeasured (with --host-to-host: of that call)");
  add_action(app, line, Action::list_devices, "--list-devices", "The OpenCL devices");
  add_action(app, line, Action::list_kernels, "--list-kernels", "The kernels, their variants and parameters");
}

void add_files(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to make of results (JSON files of this program)");
  BenchOptions& options = line.options;
  CLI::Option* report = add_action(app, line, Action::measure, "--report", options.report, "DIR",
                                   "After the run, write a page with pictures and the\nJSON there");
  app.add_option("--from", options.files, "--report of these results, without a run")
      ->type_name("FILE...")
      ->expected(1, 1000)
      ->needs(report);
  app.add_option(
         "--samples", options.samples,
         "What clgemm-tune --keep-samples has written: on the\npage, which config is fast where, and the "
         "regret")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->needs(report);
  add_action(app, line, Action::compare, "--compare", options.files, "OLD NEW...",
             "What got faster or slower beyond the noise; exit\nstatus 1 where "
             "something got slower or is missing. Of\nmore than two files, the oldest "
             "first: a column for each")
      ->expected(2, 1000)
      ->excludes("--from");
  add_action(app, line, Action::markdown, "--markdown", options.files, "FILE...",
             "Tables of these results, as docs/results.md has them")
      ->expected(1, 1000)
      ->excludes("--from");
}

void add_own_kernels(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("Your own kernels, and what is compiled");
  BenchOptions& options = line.options;
  add_action(app, line, Action::new_kernel, "--new-kernel", options.new_kernel, "FILE",
             "Write a commented kernel that passes, to begin from");
  add_action(app, line, Action::show_kernel, "--show-kernel", options.show_kernel, "NAME",
             "Print the file of a kernel, or one that kernels\ninclude (common/store.cl)");
  CLI::Option* watch =
      add_action(app, line, Action::watch, "--watch",
                 "Measure again, without peers, whenever the file of a\n--kernel or one that it "
                 "includes changes");
  add_number(app, "--watch-rounds", options.watch_rounds, 1, 1000000, "COUNT",
             "End --watch after so many measurements")
      ->needs(watch);
  add_action(
      app, line, Action::why, "--why",
      "What is known of the --kernel at each size, before and\nafter it ran, and the first thing to try");
  add_action(app, line, Action::assembly, "--asm", options.assembly, "FILE",
             "Write what the compiler made of the --kernel at the\n--size: PTX, or the "
             "program disassembled by objdump,\nelse its binary");
  add_action(
      app, line, Action::races, "--races",
      "Run the --kernel small under Oclgrind: races, accesses\nout of bounds and divergent barriers, by "
      "their lines");
  add_action(app, line, Action::cache, "--cache", options.cache, "info|clear|clear-quarantine",
             "The compiled programs on disk: show where and how\nmany, or remove them")
      ->check(one_of({"clear", "clear-quarantine", "info"}));
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

// Texts are written to --output, and have only one format.
void check_output(const CommandLine& line, const BenchOptions& options, const std::string& action) {
  if (options.action == Action::measure) return;
  const bool is_of_a_comparison = options.action == Action::compare && options.format != Format::csv;
  if (options.format != Format::table && !is_of_a_comparison) {
    throw UsageError(
        fmt::format("--format: {} is of measurements, {} has a text of its own", line.format, action));
  }
  constexpr std::array without_output = {Action::watch, Action::new_kernel, Action::assembly,
                                         Action::report_files};
  const bool writes_there =
      std::find(without_output.begin(), without_output.end(), options.action) == without_output.end();
  if (!options.output.empty() && !writes_there)
    throw UsageError(fmt::format("--output: {} writes nothing there", action));
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

void set_sizes(CommandLine& line, BenchOptions& options) {
  if (options.random.count > 0) {
    if (options.action == Action::accuracy) throw UsageError("--accuracy takes a --size, not --random");
    options.baseline = false;
  }
  options.suite_kernels = !options.suites.empty() && line.kernels.empty();
  if (options.suite_kernels) options.kernels = kernels_of_suites(options.suites);
  const bool in_place_of_sizes = !options.suites.empty() || options.random.count > 0;
  if (!line.sizes.empty() || in_place_of_sizes) options.sizes = std::move(line.sizes);
}

BenchOptions options_of(CommandLine& line) {
  BenchOptions options = std::move(line.options);
  const auto asked = std::find_if(line.actions.begin(), line.actions.end(),
                                  [](const auto& action) { return action.first->count() > 0; });
  std::string name;
  if (asked != line.actions.end())
    std::tie(name, options.action) = std::pair(asked->first->get_name(), asked->second);
  if (options.action == Action::measure && !options.files.empty())
    std::tie(name, options.action) = std::pair("--from", Action::report_files);
  if (!line.kernels.empty()) options.kernels = line.kernels;
  if (!line.peers.empty()) options.peers = parse_peers(line.peers);
  set_sizes(line, options);
  options.format = formats.at(line.format);
  check_values(options);
  check_output(line, options, name);
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

std::vector<std::string> words_of_kernel(const BenchOptions& options) {
  std::vector<std::string> words = {"--kernel", options.kernels.front(), "--precision",
                                    std::string(to_string(options.precision))};
  for (const auto& [name, value] : options.parameters)
    words.insert(words.end(), {"--param", fmt::format("{}={}", name, value)});
  if (!options.devices.empty()) words.insert(words.end(), {"--device", options.devices.front()});
  if (!options.kernel_folder.empty()) words.insert(words.end(), {"--kernel-folder", options.kernel_folder});
  return words;
}

}  // namespace clgemm::bench
