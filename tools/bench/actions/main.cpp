// clgemm-bench: measures and checks clgemm's kernels on an OpenCL device, and compares them with peers.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "actions/actions.hpp"
#include "choose/tuning_files.hpp"
#include "command_line/cases.hpp"
#include "common/interrupt.hpp"
#include "common/kernel_names.hpp"
#include "common/program.hpp"
#include "common/say.hpp"
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
        fmt::format(
            "note: the checks cannot detect races or reads out of bounds; --races --kernel {} looks for both",
            kernel));
  }
}

// Returns the names of the files without their common parts, if the rest still distinguishes them.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem().string());
  return std::set<std::string>(names.begin(), names.end()).size() == files.size() ? names : files;
}

bool compare_files(std::ostream& out, const BenchOptions& options) {
  std::vector<std::vector<Results>> runs;
  for (const std::string& file : options.files) runs.push_back(read_results(file));
  const std::vector<std::string> names =
      runs.size() == 2 ? std::vector<std::string>{"old", "new"} : short_names(options.files);
  const ComparedFiles compared = compare(names, runs);
  if (!compared.nothing_in_common.empty())
    throw UsageError(fmt::format("--compare: there is nothing to compare: {}", compared.nothing_in_common));
  write_comparison(out, compared, options.format);
  return !got_worse(compared);
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
    say("clgemm-bench", "interrupted; these are the results so far");
    return interrupted_status();
  }
  return all_passed(results) ? all_is_well : something_failed;
}

// The actions that need no device.
const std::map<Action, bool (*)(std::ostream&, const BenchOptions&)> without_device = {
    {Action::cache, manage_cache},
    {Action::compare, compare_files},
    {Action::list_devices, list_devices},
    {Action::list_kernels, list_kernels},
    {Action::new_kernel, write_new_kernel},
    {Action::races, find_races},
    {Action::show_kernel, show_kernel},
    {Action::markdown,
     [](std::ostream& out, const BenchOptions& options) {
       write_markdown(out, parse_results(join_files(options.files), "the files"));
       return true;
     }},
    {Action::report_files,
     [](std::ostream&, const BenchOptions& options) {
       write_report(options, join_files(options.files));
       return true;
     }},
    {Action::trial,
     [](std::ostream& out, const BenchOptions& options) { return bool(out << try_kernel(options)); }},
    {Action::first_call, [](std::ostream& out, const BenchOptions& options) {
       return bool(out << fmt::format("{}\n", time_first_call(options)));
     }}};

const std::map<Action, bool (*)(std::ostream&, const BenchOptions&, const cl::Device&)> on_device = {
    {Action::accuracy, show_accuracy},
    {Action::assembly, write_compiled},
    {Action::explain, explain_sizes},
    {Action::watch, watch},
    {Action::why, say_why}};

int run(Output& output, const BenchOptions& options) {
  if (!options.report.empty()) make_report_folder(options.report);
  const auto status = [](bool is_well) { return is_well ? all_is_well : something_failed; };
  if (const auto found = without_device.find(options.action); found != without_device.end())
    return status(found->second(output.stream(), options));
  const cl::Device device = device_of(options);
  if (const auto found = on_device.find(options.action); found != on_device.end())
    return status(found->second(output.stream(), options, device));
  return measure(output, options, device);
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

}  // namespace
}  // namespace clgemm::bench

int main(int argc, char** argv) {
  using namespace clgemm::bench;
  return run_program("clgemm-bench", [&] { return run_command_line(argc, argv); });
}
