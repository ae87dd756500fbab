// clgemm-bench: measures and checks clgemm's kernels on an OpenCL device, and compares them with peers.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <ostream>
#include <set>
#include <sstream>

#include "actions/accuracy.hpp"
#include "actions/commands.hpp"
#include "actions/compiled.hpp"
#include "actions/lists.hpp"
#include "actions/new_kernel.hpp"
#include "actions/races.hpp"
#include "base/error.hpp"
#include "choose/tuning_files.hpp"
#include "command_line/options.hpp"
#include "common/bad_usage.hpp"
#include "common/interrupt.hpp"
#include "common/kernel_names.hpp"
#include "common/say.hpp"
#include "common/usage_error.hpp"
#include "figures/results_json.hpp"
#include "page/page_folder.hpp"
#include "running/first_call.hpp"
#include "running/own_kernel.hpp"
#include "running/runner.hpp"
#include "running/why.hpp"
#include "writing/compare.hpp"
#include "writing/markdown.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

constexpr int all_is_well = 0;
constexpr int something_failed = 1;
constexpr int bad_usage = 2;

// A reader of the written file must not think that a missing peer has lost.
void say_missing_peers(const Results& results) {
  std::set<std::string> notes;
  for (const MissingPeer& peer : results.missing_peers) {
    notes.insert(fmt::format("{} is missing: {}", peer.title, peer.reason));
  }
  for (const ShapeResult& shape : results.shapes) {
    for (const PeerResult& peer : shape.peers) {
      const std::string& reason = peer.figures.reason;
      if (!reason.empty()) notes.insert(fmt::format("{} did not run: {}", peer_title(peer.name), reason));
    }
  }
  for (const std::string& note : notes) say("clgemm-bench", fmt::format("note: {}", note));
}

// A reader who compares with a peer must know that clgemm chooses by another device's data.
void say_nothing_measured(const cl::Device& device) {
  const std::vector<SpeedTable> tables = tuning_from_environment().tables(describe(device));
  if (tables.empty() || tables.front().kin != Kinship::same)
    say("clgemm-bench", fmt::format("note: {}", nothing_measured));
}

// Prints a note, because a device may hide a race or a read outside a buffer.
void say_what_no_check_sees(const BenchOptions& options, const Results& results) {
  if (!options.check || !all_passed(results)) return;
  for (const std::string& kernel : options.kernels) {
    if (!names_a_file(kernel)) continue;
    say("clgemm-bench",
        fmt::format("note: no check sees a race or a read out of bounds; --races --kernel {} looks "
                    "for both",
                    kernel));
  }
}

// Returns the names of the files without their common parts, if the rest still distinguishes them.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem().string());
  return std::set<std::string>(names.begin(), names.end()).size() == files.size() ? names : files;
}

int compare_history(std::ostream& out, const BenchOptions& options) {
  std::vector<std::vector<Results>> runs;
  for (const std::string& file : options.files) runs.push_back(read_results(file));
  const History history = history_of(short_names(options.files), runs);
  write_history(out, history, options.format);
  return got_worse(history) ? something_failed : all_is_well;
}

int compare_files(std::ostream& out, const BenchOptions& options) {
  if (options.files.size() > 2) return compare_history(out, options);
  const std::vector<Results> before = read_results(options.files.at(0));
  const ComparedFiles compared = compare(before, read_results(options.files.at(1)));
  if (compared.rows.empty()) {
    throw UsageError(fmt::format("--compare: nothing to compare: {}", compared.nothing_in_common));
  }
  write_comparison(out, compared, options.format);
  return got_worse(compared) ? something_failed : all_is_well;
}

// Makes pages and pictures from the JSON only, so that files of earlier runs work, too.
void write_report(const BenchOptions& options, const std::string& json) {
  write_report_folder(options.report, json, options.samples);
  say("clgemm-bench", fmt::format("the page is {}/index.html", options.report));
}

int measure(Output& output, const BenchOptions& options, const cl::Device& device) {
  const InterruptNoted noted;
  const Results results = run_bench(options, device);
  write_results(output.stream(), options, results);
  output.finish();  // written first, in case the report fails
  if (!options.report.empty() && !results.shapes.empty()) {
    std::ostringstream json;
    write_json(json, results);
    write_report(options, json.str());
  }
  say_missing_peers(results);
  say_nothing_measured(device);
  say_what_no_check_sees(options, results);
  for (const std::string& failure : results.failures) say("clgemm-bench", fmt::format("error: {}", failure));
  if (interrupted()) {
    say("clgemm-bench", "interrupted: these are the results so far");
    return interrupted_status();
  }
  return all_passed(results) ? all_is_well : something_failed;
}

int run_on(const cl::Device& device, Output& output, const BenchOptions& options) {
  switch (options.action) {
    case Action::explain:
      explain_sizes(output.stream(), options, device);
      return all_is_well;
    case Action::accuracy:
      return show_accuracy(output.stream(), options, device) ? all_is_well : something_failed;
    case Action::why:
      say_why(output.stream(), options, device);
      return all_is_well;
    case Action::assembly:
      write_compiled(options, device);
      return all_is_well;
    case Action::watch:
      watch(output.stream(), options, device, options.watch_rounds);
      return all_is_well;
    default:
      return measure(output, options, device);
  }
}

int run(Output& output, const BenchOptions& options) {
  std::ostream& out = output.stream();
  if (!options.report.empty()) make_report_folder(options.report);
  switch (options.action) {
    case Action::report_files:
      write_report(options, join_files(options.files));
      return all_is_well;
    case Action::compare:
      return compare_files(out, options);
    case Action::markdown:
      write_markdown(out, parse_results(join_files(options.files), "the files"));
      return all_is_well;
    case Action::list_kernels:
      list_kernels(out, options.kernel_folder);
      return all_is_well;
    case Action::show_kernel:
      show_kernel(out, options.show_kernel, options.kernel_folder);
      return all_is_well;
    case Action::list_devices:
      list_devices(out);
      return all_is_well;
    case Action::show_cache:
      show_cache(out);
      return all_is_well;
    case Action::clear_quarantine:
      clear_quarantine(out);
      return all_is_well;
    case Action::clear_cache:
      clear_cache(out);
      return all_is_well;
    case Action::new_kernel:
      write_new_kernel(options.new_kernel);
      return all_is_well;
    case Action::trial:
      out << try_kernel(options);
      return all_is_well;
    case Action::races:
      return find_races(out, options) ? all_is_well : something_failed;
    case Action::first_call:
      out << fmt::format("{}\n", time_first_call(options));
      return all_is_well;
    default:
      return run_on(options.device.empty() ? default_device() : find_devices(options.device).front(), output,
                    options);
  }
}

int run_and_write(const BenchOptions& options) {
  Output output(options.output);
  const int status = run(output, options);
  if (options.action != Action::measure) output.finish();  // a measurement writes this before its page
  return status;
}

int run_command_line(int argc, char** argv) {
  const auto options = parse_options(argc, argv);
  const int status = options ? run_and_write(*options) : all_is_well;
  finish_standard_output();
  return status;
}

int complain(const char* what, int status) {
  say("clgemm-bench", fmt::format("error: {}", what));
  return status;
}

}  // namespace
}  // namespace clgemm::bench

int main(int argc, char** argv) {
  using namespace clgemm::bench;
  try {
    return run_command_line(argc, argv);
  } catch (const UsageError& error) {
    return complain(error.what(), bad_usage);
  } catch (const clgemm::Error& error) {
    return complain(error.what(), is_bad_usage(error) ? bad_usage : something_failed);
  } catch (const cl::Error& error) {
    return complain(clgemm::from_opencl(error).what(), something_failed);
  } catch (const std::exception& error) {
    return complain(error.what(), something_failed);
  }
}
