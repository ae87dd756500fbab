// clgemm-bench: measures and checks the kernels of clgemm on an OpenCL device, beside their peers.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <set>
#include <sstream>

#include "actions/accuracy.hpp"
#include "actions/commands.hpp"
#include "actions/lists.hpp"
#include "actions/new_kernel.hpp"
#include "base/error.hpp"
#include "command_line/options.hpp"
#include "common/bad_usage.hpp"
#include "common/interrupt.hpp"
#include "common/usage_error.hpp"
#include "figures/results_json.hpp"
#include "page/page_folder.hpp"
#include "running/first_call.hpp"
#include "running/own_kernel.hpp"
#include "running/runner.hpp"
#include "writing/compare.hpp"
#include "writing/markdown.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

constexpr int all_is_well = 0;
constexpr int something_failed = 1;
constexpr int bad_usage = 2;
constexpr int ended_by_user = 130;  // as a shell says it of SIGINT

// Whoever reads only the file that was written must not take a peer that is not there for one that lost.
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
  for (const std::string& note : notes) fmt::print(stderr, "clgemm-bench: note: {}\n", note);
}

int compare_files(const BenchOptions& options) {
  const std::vector<Results> before = read_results(options.files.at(0));
  const ComparedFiles compared = compare(before, read_results(options.files.at(1)));
  if (compared.rows.empty()) {
    throw UsageError(fmt::format("--compare: nothing to compare: {}", compared.nothing_in_common));
  }
  write_comparison(std::cout, compared);
  return got_worse(compared) ? something_failed : all_is_well;
}

// Pages and pictures are made from the JSON alone, so that files of earlier runs do as well.
void write_report(const BenchOptions& options, const std::string& json) {
  write_report_folder(options.report, json, options.samples);
  fmt::print(stderr, "clgemm-bench: the page is {}/index.html\n", options.report);
}

int measure(const BenchOptions& options, const cl::Device& device) {
  Output output(options);
  const InterruptNoted noted;
  const Results results = run_bench(options, device);
  output.write(results);
  if (!options.report.empty() && !results.shapes.empty()) {
    std::ostringstream json;
    write_json(json, results);
    write_report(options, json.str());
  }
  say_missing_peers(results);
  if (!results.stopped_by.empty()) {
    fmt::print(stderr, "clgemm-bench: error: {}\n", results.stopped_by);
  }
  if (interrupted()) {
    fmt::print(stderr, "clgemm-bench: interrupted: these are the results so far\n");
    return ended_by_user;
  }
  return all_passed(results) ? all_is_well : something_failed;
}

int run_on(const cl::Device& device, const BenchOptions& options) {
  switch (options.action) {
    case Action::explain:
      explain_sizes(std::cout, options, device);
      return all_is_well;
    case Action::accuracy:
      return show_accuracy(std::cout, options, device) ? all_is_well : something_failed;
    case Action::watch:
      watch(std::cout, options, device, options.watch_rounds);
      return all_is_well;
    default:
      return measure(options, device);
  }
}

int run(const BenchOptions& options) {
  if (!options.report.empty()) make_report_folder(options.report);
  switch (options.action) {
    case Action::report_files:
      write_report(options, join_files(options.files));
      return all_is_well;
    case Action::compare:
      return compare_files(options);
    case Action::markdown:
      write_markdown(std::cout, parse_results(join_files(options.files), "the files"));
      return all_is_well;
    case Action::list_kernels:
      list_kernels(std::cout, options.kernel_folder);
      return all_is_well;
    case Action::show_kernel:
      show_kernel(std::cout, options.show_kernel, options.kernel_folder);
      return all_is_well;
    case Action::list_devices:
      list_devices(std::cout);
      return all_is_well;
    case Action::show_cache:
      show_cache(std::cout);
      return all_is_well;
    case Action::clear_quarantine:
      clear_quarantine(std::cout);
      return all_is_well;
    case Action::clear_cache:
      clear_cache(std::cout);
      return all_is_well;
    case Action::new_kernel:
      write_new_kernel(options.new_kernel);
      return all_is_well;
    case Action::trial:
      fmt::print("{}", try_kernel(options));
      return all_is_well;
    case Action::first_call:
      fmt::print("{}\n", time_first_call(options));
      return all_is_well;
    default:
      return run_on(options.device.empty() ? default_device() : find_devices(options.device).front(),
                    options);
  }
}

int complain(const char* what, int status) {
  fmt::print(stderr, "clgemm-bench: error: {}\n", what);
  return status;
}

}  // namespace
}  // namespace clgemm::bench

int main(int argc, char** argv) {
  using namespace clgemm::bench;
  try {
    const auto options = parse_options(argc, argv);
    return options ? run(*options) : all_is_well;
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
