#include "command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>

#include "command_line/suites.hpp"
#include "common/kernel_names.hpp"
#include "common/options.hpp"
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
  Actions<Action> actions;  // other than measuring
};

// The help does not list what an option excludes. The error message says it.
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

CLI::Option* add_action(CLI::App& app, CommandLine& line, Action action, const char* name, const char* text) {
  return line.actions.add(action, app.add_flag(name)->description(text));
}

template <class Value>
CLI::Option* add_action(CLI::App& app, CommandLine& line, Action action, const char* name, Value& value,
                        const char* type, const char* text) {
  return line.actions.add(action, app.add_option(name, value, text)->type_name(type));
}

void parse_parameter(const std::string& text, Parameters& parameters) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const auto value = number_in<std::int64_t>(text.substr(std::min(equals + 1, text.size())));
  if (equals == 0 || !value)
    throw UsageError(fmt::format("'{}' is not NAME=VALUE with an integer value", text));
  parameters[text.substr(0, equals)] = *value;
}

void add_random_shapes(CLI::App& app, CommandLine& line) {
  RandomShapes& random = line.options.random;
  CLI::Option* count = add_number(app, "--random", random.count, 1, 100000, "COUNT",
                                  "Measure this many shapes with random sides\n"
                                  "(log-uniform) instead of --size, compare each with the\n"
                                  "peers, and print a summary");
  count->excludes("--size")->excludes("--suite");
  add_number(app, "--seed", random.seed, 0, 2147483647, "NUMBER", "Seed of the random shapes (default: 1)")
      ->needs(count);
  app.add_option("--sides", line.word, "Range of m, n and k (default: 16-9400)")
      ->type_name("LEAST-MOST")
      ->check(read_by([&](const std::string& text) {
        random.sides = parse_bounds(text);
        if (random.sides.most > largest_side)
          throw UsageError(fmt::format("'{}' is beyond {}", text, largest_side));
      }))
      ->needs(count);
  app.add_option("--gflop", line.word,
                 "Range of 2 m n k, in 10^9 (default: 0.2-600, on CPUs\n"
                 "0.1-20)")
      ->type_name("LEAST-MOST")
      ->check(read_by([&](const std::string& text) { random.gflop = parse_bounds(text); }))
      ->needs(count);
  app.add_flag("--varied", random.varied, "Also use random transposes, layouts and gaps")->needs(count);
}

void add_what_to_compute(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to multiply");
  GemmKind& kind = line.options.kind;
  add_repeatable(app, "-s,--size", line.words, "N|MxNxK",
                 "Size of the GEMM, m = n = k or separately (default:\n"
                 "1024); repeatable")
      ->check(read_by([&](const std::string& text) { line.sizes.push_back(parse_size(text)); }));
  add_repeatable(app, "--suite", line.options.suites, "seeds|shapes|dnn",
                 "Measure a set of sizes instead of --size: those of\n"
                 "well-known tutorials, square to thin shapes, or layers\n"
                 "of networks; repeatable")
      ->check(one_of(suite_names()))
      ->excludes("--size");
  add_random_shapes(app, line);
  add_number(app, "--batch", kind.batch_count, 1, 1000000, "COUNT",
             "Number of GEMMs of each size in one call; their\n"
             "matrices are contiguous");
  app.add_flag_callback(
      "--transpose-a", [&kind] { kind.transpose_a = Transpose::yes; }, "A is stored transposed");
  app.add_flag_callback(
      "--transpose-b", [&kind] { kind.transpose_b = Transpose::yes; }, "B is stored transposed");
  add_choice(app, "--layout", kind.layout, layouts, "row|column", "Row-major or column-major (default: row)");
  add_number(app, "--gap", kind.gap, 0, 1000000, "COUNT",
             "Elements between the rows (or columns) of each matrix;\n"
             "leading dimensions are larger by this number (default:\n"
             "0)");
  for (const char* given : {"--transpose-a", "--transpose-b", "--layout", "--gap"})
    app.get_option("--varied")->excludes(given);
  add_number(app, "--alpha", kind.alpha, -3.4e38, 3.4e38, "X",
             "Alpha in C <- alpha * op(A) * op(B) + beta * C\n"
             "(default: 1)");
  add_number(app, "--beta", kind.beta, -3.4e38, 3.4e38, "X", "Beta in the same formula (default: 0)");
}

void add_with_what(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("With what");
  BenchOptions& options = line.options;
  add_repeatable(app, "-k,--kernel", line.kernels, "NAME",
                 "A kernel, a variant, a file (mine.cl), all, or auto\n"
                 "(default), which is clgemm's choice; repeatable");
  add_repeatable(app, "-p,--param", line.words, "NAME=VALUE",
                 "A parameter of the kernels of --kernel; repeatable")
      ->check(read_by([&](const std::string& text) { parse_parameter(text, options.parameters); }));
  add_choice(app, "--precision", options.precision, precisions, "fp32_equivalent|fp32",
             "Any method whose error bound is no larger than that of\n"
             "plain fp32 (default), or only the device's fp32 units");
  app.add_flag("--ladder", options.ladder,
               "Measure two loops on the host, and then the kernels\n"
               "from the simplest to the fastest")
      ->excludes("--kernel")
      ->excludes("--param");
  add_repeatable(app, "--peer", line.peers, "NAME[=VALUE]",
                 "Another library to compare with, on the same data:\n"
                 "clblast (default), clblast-tuned=FILE.json,...,\n"
                 "openblas, cblas=LIBRARY, cublas[=FOLDER],\n"
                 "cublasxt[=FOLDER] or none; repeatable");
  app.add_option("--kernel-folder", options.kernel_folder,
                 "Search this folder for kernels before the built-in ones")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
  add_repeatable(app, "-d,--device", options.devices, "INDEX|NAME",
                 "The index of a device in --list-devices, or a part of\n"
                 "its name (default: CLGEMM_DEVICE, else a GPU, else a\n"
                 "CPU). Repeatable with --host-to-host: the devices then\n"
                 "share each call, and the first one is also measured\n"
                 "alone");
}

void add_how_to_measure(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("How to measure");
  BenchOptions& options = line.options;
  add_number(app, "--runs", options.runs, 1, 1000000, "COUNT", "Timed runs of each kernel (default: 20)");
  add_number(app, "--warmup", options.warmup, 0, 1000000, "COUNT",
             "Runs before the timed runs (default: 10)");
  add_number(app, "--max-seconds", options.max_seconds, 0.0, 1e6, "SECONDS",
             "Time limit for the runs of one kernel at one size; one\n"
             "run is always made (default: 5)");
  app.add_flag_callback(
      "--no-baseline", [&options] { options.baseline = false; },
      "Do not measure the kernel naive unless --kernel names\n"
      "it; --random implies this");
  app.add_flag_callback(
      "--no-check", [&options] { options.check = false; }, "Do not check the results");
  app.add_flag("--rotate", options.rotate,
               "Use several copies of A, B and C alternately, so that\n"
               "none stays in a cache");
  app.add_flag("--host-to-host", options.host_to_host, "Also time the call on host matrices");
  app.add_flag("--first-call", options.first_call,
               "Also time the first call of new processes, with empty\n"
               "caches and with the caches of an earlier process");
  app.add_flag("--ceilings", options.ceilings,
               "Measure the peak rates of the device's fp32 units and\n"
               "memory, and show results in percent of them");
  add_number(app, "--trial-seconds", options.trial_seconds, 1, 86400, "COUNT",
             "Time limit in seconds for the first trial of a\n"
             "--kernel FILE, which runs in a separate process\n"
             "(default: 60)");
  // For child processes of the bench.
  line.actions.add(Action::trial, app.add_option("--trial-of", options.trial_of))->group("");
  line.actions.add(Action::first_call, app.add_option("--first-call-of", options.first_call_of))->group("");
}

void add_output(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to print");
  app.add_option("-f,--format", line.format, "(default: table)")
      ->type_name("table|json|csv")
      ->check(one_of(keys_of(formats)));
  app.add_option("-o,--output", line.options.output, "Write to this file instead of to standard output")
      ->type_name("FILE");
  add_action(app, line, Action::accuracy, "--accuracy",
             "Show the accuracy of kernels and peers on numbers that\n"
             "are difficult in different ways; C has m rows and n\n"
             "columns of --size; no times are measured");
  add_action(app, line, Action::explain, "--explain",
             "Print clgemm's plan for each size in words (with\n"
             "--host-to-host: for host matrices); nothing is\n"
             "measured");
  add_action(app, line, Action::list_devices, "--list-devices", "Print the OpenCL devices");
  add_action(app, line, Action::list_kernels, "--list-kernels",
             "Print the kernels, their variants and parameters");
}

void add_files(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("What to do with results (JSON files of this program)");
  BenchOptions& options = line.options;
  CLI::Option* report = add_action(app, line, Action::measure, "--report", options.report, "DIR",
                                   "After the run, write a page with charts, and the JSON,\n"
                                   "to this folder");
  app.add_option("--from", options.files,
                 "Write the page of --report from these results, without\n"
                 "a run")
      ->type_name("FILE...")
      ->expected(1, 1000)
      ->needs(report);
  app.add_option("--samples", options.samples,
                 "A file of clgemm-tune --keep-samples; the page then\n"
                 "also shows which config is fast for which shape, and\n"
                 "the regret")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""))
      ->needs(report);
  add_action(app, line, Action::compare, "--compare", options.files, "OLD NEW...",
             "Print what became faster or slower by more than the\n"
             "noise; the exit status is 1 if something became slower\n"
             "or is missing. With more than two files, the oldest\n"
             "first: print a column for each")
      ->expected(2, 1000)
      ->excludes("--from");
  add_action(app, line, Action::markdown, "--markdown", options.files, "FILE...",
             "Print tables of these results, as in docs/results.md")
      ->expected(1, 1000)
      ->excludes("--from");
}

void add_own_kernels(CLI::App& app, CommandLine& line) {
  app.option_defaults()->group("Your own kernels, and compiled programs");
  BenchOptions& options = line.options;
  add_action(app, line, Action::new_kernel, "--new-kernel", options.new_kernel, "FILE",
             "Write a working kernel with comments, to start from");
  add_action(app, line, Action::show_kernel, "--show-kernel", options.show_kernel, "NAME",
             "Print the file of a kernel, or a file that kernels\n"
             "include (common/store.cl)");
  CLI::Option* watch = add_action(app, line, Action::watch, "--watch",
                                  "Measure again, without peers, whenever the file of a\n"
                                  "--kernel or one of its includes changes");
  add_number(app, "--watch-rounds", options.watch_rounds, 1, 1000000, "COUNT",
             "End --watch after this number of measurements")
      ->needs(watch);
  add_action(app, line, Action::why, "--why",
             "Print what limits the --kernel at each size, before\n"
             "and after its run, and what to try first");
  add_action(app, line, Action::assembly, "--asm", options.assembly, "FILE",
             "Write the compiled --kernel for the --size to this\n"
             "file: PTX, or a disassembly by objdump, or else the\n"
             "binary");
  add_action(app, line, Action::races, "--races",
             "Run the --kernel on a small problem under Oclgrind,\n"
             "and print races, accesses out of bounds and divergent\n"
             "barriers with their lines");
  add_action(app, line, Action::cache, "--cache", options.cache, "info|clear|clear-quarantine",
             "Show the folder and the number of the compiled\n"
             "programs on disk, or remove them")
      ->check(one_of({"clear", "clear-quarantine", "info"}));
}

bool names_one_kernel(const std::string& kernel) {
  return kernel != "all" && kernel != "auto";
}

// Checks combinations of values. Combinations of options are checked when the options are added.
void check_values(const BenchOptions& options) {
  if (options.ladder && options.sizes.size() != 1) throw UsageError("--ladder needs exactly one --size");
  const auto& kernels = options.kernels;
  if (options.action == Action::watch && std::none_of(kernels.begin(), kernels.end(), names_a_file)) {
    throw UsageError("--watch needs a --kernel FILE.cl");
  }
  const bool is_of_one = options.action == Action::races || options.action == Action::assembly;
  if (is_of_one && (kernels.size() != 1 || !names_one_kernel(kernels.front()))) {
    throw UsageError(fmt::format("{} needs exactly one --kernel: a name, or FILE.cl",
                                 options.action == Action::races ? "--races" : "--asm"));
  }
  if (options.kind.batch_count > 1) {
    if (options.ladder) throw UsageError("--ladder measures single GEMMs; do not use --batch");
    if (options.action == Action::accuracy)
      throw UsageError("--accuracy checks single GEMMs; do not use --batch");
    if (options.host_to_host) throw UsageError("--host-to-host does not support batches (--batch)");
  }
  if (options.devices.size() > 1 && !options.host_to_host)
    throw UsageError("--device: several devices can share a call only with --host-to-host");
  if (options.parameters.empty()) return;
  for (const std::string& kernel : kernels) {
    if (names_one_kernel(kernel)) continue;
    throw UsageError(fmt::format("--param needs kernels that --kernel names, not '{}'", kernel));
  }
}

// Texts are written to --output, and have only one format.
void check_output(const CommandLine& line, const BenchOptions& options, const std::string& action) {
  if (options.action == Action::measure) return;
  const bool is_of_a_comparison = options.action == Action::compare && options.format != Format::csv;
  if (options.format != Format::table && !is_of_a_comparison) {
    throw UsageError(fmt::format("--format: {} is for measurements; {} prints a text", line.format, action));
  }
  constexpr std::array without_output = {Action::watch, Action::new_kernel, Action::assembly,
                                         Action::report_files};
  const bool writes_there =
      std::find(without_output.begin(), without_output.end(), options.action) == without_output.end();
  if (!options.output.empty() && !writes_there)
    throw UsageError(fmt::format("--output has no effect with {}", action));
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
  const CLI::Option* given = nullptr;
  std::tie(given, options.action) = line.actions.given(Action::measure);
  std::string name = given == nullptr ? "" : given->get_name();
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
      "Measures the kernels of clgemm on an OpenCL device, compares them with other libraries (peers)\n"
      "on the same data, and checks every result.\n"
      "\n"
      "Exit status: 0 if every check passed, 1 if a check failed or after an error, 2 for bad usage,\n"
      "130 if Ctrl-C ended the program, 143 if SIGTERM did. Results up to then are written.\n",
      "clgemm-bench");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "clgemm-bench " CLGEMM_VERSION);
  const auto formatter = std::make_shared<ShortFormatter>();
  formatter->column_width(34);
  app.formatter(formatter);
  add_what_to_compute(app, line);
  add_with_what(app, line);
  add_how_to_measure(app, line);
  add_output(app, line);
  add_files(app, line);
  add_own_kernels(app, line);
  if (!parse(app, argc, argv)) return std::nullopt;
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
