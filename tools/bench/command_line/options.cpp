#include "command_line/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>

#include "command_line/suites.hpp"
#include "common/usage_error.hpp"

namespace clgemm::bench {
namespace {

const std::map<std::string, Format> formats = {
    {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
const std::map<std::string, Precision> precisions = {{"fp32_equivalent", Precision::fp32_equivalent},
                                                     {"fp32", Precision::fp32}};
const std::map<std::string, Layout> layouts = {{"row", Layout::row_major}, {"column", Layout::column_major}};

const std::map<std::string, Action> cache_actions = {{"info", Action::show_cache},
                                                     {"clear", Action::clear_cache}};

// What CLI11 fills in, in the words of the command line.
struct CommandLine {
  std::vector<std::string> kernels;
  std::vector<std::string> parameters;
  std::vector<std::string> sizes;
  std::vector<std::string> peers;
  std::vector<std::string> suites;
  std::string format = "table";
  std::string layout = "row";
  bool transpose_a = false;
  bool transpose_b = false;
  bool no_check = false;
  bool list_devices = false;
  bool list_kernels = false;
  bool explain = false;
  bool accuracy = false;
  std::string precision = "fp32_equivalent";
  bool watch = false;
  std::string cache;
  std::vector<std::string> compare;
  std::vector<std::string> from;
  std::vector<std::string> markdown;
  BenchOptions options;
};

// Validators that leave the explaining to the text of the option.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& choice : choices) names.push_back(choice.first);
  return CLI::IsMember(names).description("");
}

template <class Value>
CLI::Validator between(Value least, Value most) {
  return CLI::Range(least, most).description("");
}

// An option that may be given again, with one value each time.
CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                            const char* type, const char* text) {
  return app.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
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
      ->check(CLI::IsMember(suite_names()).description(""))
      ->group(group);
  app.add_flag("--transpose-a", line.transpose_a, "A is stored transposed")->group(group);
  app.add_flag("--transpose-b", line.transpose_b, "B is stored transposed")->group(group);
  app.add_option("--layout", line.layout, "Which lie together in memory (default: row)")
      ->type_name("row|column")
      ->check(one_of(layouts))
      ->group(group);
  app.add_option("--gap", kind.gap,
                 "Elements between the rows (or columns) of each matrix:\nleading dimensions that much "
                 "larger (default: 0)")
      ->type_name("COUNT")
      ->check(between(0, 1000000))
      ->group(group);
  app.add_option("--alpha", kind.alpha, "C <- alpha * op(A) * op(B) + beta * C (default: 1)")
      ->type_name("X")
      ->group(group);
  app.add_option("--beta", kind.beta, "The same (default: 0)")->type_name("X")->group(group);
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
      ->check(one_of(precisions))
      ->group(group);
  app.add_flag(
         "--ladder", line.options.ladder,
         "The kernels one after the other, from the simplest\nto the fastest, after two loops on the host")
      ->group(group);
  add_repeatable(
      app, "--peer", line.peers, "NAME[=VALUE]",
      "Measured beside them on the same data: clblast\n(default), clblast-tuned=FILE.json,..., openblas,\n"
      "cblas=LIBRARY, cublas[=FOLDER] or none; repeatable")
      ->group(group);
  app.add_option("--kernel-folder", line.options.kernel_folder,
                 "Searched for kernels before the built-in ones")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""))
      ->group(group);
  app.add_option(
         "-d,--device", line.options.device,
         "As --list-devices has it, or a part of its name\n(default: CLGEMM_DEVICE, else a GPU, else a CPU)")
      ->type_name("INDEX|NAME")
      ->group(group);
}

void add_what_else_to_measure(CLI::App& app, BenchOptions& options, const char* group) {
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
  app.add_option("--first-call-of", options.first_call_of)->group("");  // for --first-call's own processes
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
  app.add_flag("--no-check", line.no_check, "Do not check the results")->group(group);
  add_what_else_to_measure(app, line.options, group);
}

void add_output(CLI::App& app, CommandLine& line) {
  const char* group = "What to print";
  app.add_option("-f,--format", line.format, "(default: table)")
      ->type_name("table|json|csv")
      ->check(one_of(formats))
      ->group(group);
  app.add_option("-o,--output", line.options.output, "Write there instead of to standard output")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--accuracy", line.accuracy,
               "How exact kernels and peers are on numbers that are\nhard in different ways, where C has as "
               "many rows as\n--size says; nothing is measured")
      ->group(group);
  app.add_flag("--explain", line.explain, "clgemm's plan for each size, in words; nothing is measured")
      ->group(group);
  app.add_flag("--list-devices", line.list_devices, "The OpenCL devices")->group(group);
  app.add_flag("--list-kernels", line.list_kernels, "The kernels, their variants and parameters")
      ->group(group);
}

void add_files(CLI::App& app, CommandLine& line) {
  const char* group = "What to make of results (JSON files of this program)";
  app.add_option("--report", line.options.report,
                 "After the run, write a page with pictures, the\npictures as SVG, and the JSON there")
      ->type_name("DIR")
      ->group(group);
  add_repeatable(app, "--from", line.from, "FILE", "--report of these results, without a run; repeatable")
      ->group(group);
  app.add_option("--compare", line.compare,
                 "What got faster or slower beyond the noise; exit\nstatus 1 where something got slower or "
                 "is missing")
      ->type_name("OLD NEW")
      ->type_size(2)
      ->expected(1)
      ->group(group);
  app.add_option("--markdown", line.markdown, "Tables of these results, as the README has them")
      ->type_name("FILE...")
      ->expected(1, 1000)
      ->group(group);
}

void add_own_kernels(CLI::App& app, CommandLine& line) {
  const char* group = "Your own kernels, and what is compiled";
  app.add_option("--new-kernel", line.options.new_kernel,
                 "Write a commented kernel that passes, to begin from")
      ->type_name("FILE")
      ->group(group);
  app.add_flag(
         "--watch", line.watch,
         "Measure again, without peers, whenever the file of a\n--kernel or one that it includes changes")
      ->group(group);
  app.add_option("--watch-rounds", line.options.watch_rounds, "End --watch after so many measurements")
      ->type_name("COUNT")
      ->check(between(1, 1000000))
      ->group(group);
  app.add_option("--cache", line.cache,
                 "The compiled programs on disk: show where and how\nmany, or remove them")
      ->type_name("info|clear")
      ->check(one_of(cache_actions))
      ->group(group);
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

void check_combination(const BenchOptions& options, const CommandLine& line) {
  if (options.ladder && (!line.kernels.empty() || !line.parameters.empty())) {
    throw UsageError("--ladder has its own kernels: leave out --kernel and --param");
  }
  if (!line.suites.empty() && !line.sizes.empty())
    throw UsageError("--suite has its own sizes: leave out --size");
  if (options.ladder && options.sizes.size() != 1) throw UsageError("--ladder takes one --size");
  const int actions = line.list_devices + line.list_kernels + line.explain + line.watch +
                      !line.cache.empty() + !options.new_kernel.empty() + !line.compare.empty() +
                      !line.markdown.empty() + !options.report.empty();
  if (actions > 1) {
    throw UsageError(
        "only one of --list-devices, --list-kernels, --explain, --watch, --cache, --new-kernel, --report, "
        "--compare and --markdown");
  }
  if (!line.from.empty() && options.report.empty()) throw UsageError("--from needs a --report DIR");
  const bool names_a_file =
      std::any_of(options.kernels.begin(), options.kernels.end(),
                  [](const std::string& kernel) { return kernel.find(".cl") != std::string::npos; });
  if (line.watch && !names_a_file) throw UsageError("--watch needs a --kernel FILE.cl");
  if (options.parameters.empty()) return;
  for (const std::string& kernel : options.kernels) {
    if (names_one_kernel(kernel)) continue;
    throw UsageError(fmt::format("--param needs kernels that are named by --kernel, not '{}'", kernel));
  }
}

BenchOptions options_of(const CommandLine& line) {
  BenchOptions options = line.options;
  if (line.list_devices) options.action = Action::list_devices;
  if (line.list_kernels) options.action = Action::list_kernels;
  if (line.explain) options.action = Action::explain;
  if (line.accuracy) options.action = Action::accuracy;
  if (line.watch) options.action = Action::watch;
  if (!line.cache.empty()) options.action = cache_actions.at(line.cache);
  if (!options.new_kernel.empty()) options.action = Action::new_kernel;
  if (!options.first_call_of.empty()) options.action = Action::first_call;
  if (!line.from.empty()) options.action = Action::report_files;
  if (!line.compare.empty()) options.action = Action::compare;
  if (!line.markdown.empty()) options.action = Action::markdown;
  for (const auto* files : {&line.from, &line.compare, &line.markdown}) {
    options.files.insert(options.files.end(), files->begin(), files->end());
  }
  if (!line.kernels.empty()) options.kernels = line.kernels;
  for (const std::string& parameter : line.parameters) parse_parameter(parameter, options.parameters);
  if (!line.peers.empty()) options.peers = parse_peers(line.peers);
  if (!line.suites.empty()) {
    options.suites = line.suites;
    options.suite_kernels = line.kernels.empty();
    if (options.suite_kernels) options.kernels = kernels_of_suites(line.suites);
  }
  if (!line.sizes.empty() || !line.suites.empty()) options.sizes.clear();
  for (const std::string& size : line.sizes) {
    try {
      options.sizes.push_back(parse_size(size));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--size: {}", error.what()));
    }
  }
  options.kind.layout = layouts.at(line.layout);
  options.precision = precisions.at(line.precision);
  options.kind.transpose_a = line.transpose_a ? Transpose::yes : Transpose::no;
  options.kind.transpose_b = line.transpose_b ? Transpose::yes : Transpose::no;
  options.check = !line.no_check;
  options.format = formats.at(line.format);
  check_combination(options, line);
  return options;
}

}  // namespace

std::optional<BenchOptions> parse_options(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app(
      "Measures the kernels of clgemm on an OpenCL device, beside their peers and on the same data,\n"
      "and checks every result.\n\n"
      "Exit status: 0 when every check passed, 1 when one failed or on an error, 2 for bad usage,\n"
      "130 where Ctrl-C ended it; what was measured until then is written.\n",
      "clgemm-bench");
  app.set_help_flag("-h,--help", "Print this and exit");
  app.set_version_flag("--version", "clgemm-bench " CLGEMM_VERSION);
  app.get_formatter()->column_width(34);
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
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return options_of(line);
}

}  // namespace clgemm::bench
