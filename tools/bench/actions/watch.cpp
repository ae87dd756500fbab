// `--watch`: from a saved file to a checked, timed result without a further command.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "actions/commands.hpp"
#include "base/error.hpp"
#include "common/kernel_names.hpp"
#include "common/statistics.hpp"
#include "kernel/kernel_file.hpp"
#include "running/runner.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval(200);

// Files by path, and when each was last written.
using Stamps = std::map<std::string, fs::file_time_type>;

// The files that stand in the #line directives of an expanded source, the built-in ones left out.
void add_included_files(const std::string& source, std::set<std::string>& files) {
  const std::string directive = "#line ";
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t quote = line.find('"');
    if (line.compare(0, directive.size(), directive) != 0 || quote == std::string::npos) continue;
    const std::string path = line.substr(quote + 1, line.rfind('"') - quote - 1);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) files.insert(path);
  }
}

// The kernel files, and what they include as far as they can be read.
std::set<std::string> watched_files(const BenchOptions& options) {
  std::set<std::string> files;
  for (const std::string& kernel : options.kernels) {
    if (!names_a_file(kernel)) continue;
    files.insert(kernel);
    try {
      add_included_files(KernelLibrary(options.kernel_folder).find(kernel).file->source, files);
    } catch (const Error&) {
      continue;  // the measurement says what is wrong with it
    }
  }
  return files;
}

Stamps stamps_of(const std::set<std::string>& files) {
  Stamps stamps;
  for (const std::string& file : files) {
    std::error_code gone;
    const auto written = fs::last_write_time(file, gone);
    if (!gone) stamps[file] = written;
  }
  return stamps;
}

// Medians of what was right, by kernel and size.
using Medians = std::map<std::string, double>;

Medians medians_of(const Results& results) {
  Medians medians;
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) {
      if (!kernel.figures.measured() || kernel.figures.failed()) continue;
      medians[fmt::format("{} at {}", kernel.kernel, to_string(shape.size))] = *kernel.figures.median_ms;
    }
  }
  return medians;
}

void show_differences(std::ostream& out, const Medians& before, const Medians& now) {
  for (const auto& [name, ms] : now) {
    const auto earlier = before.find(name);
    if (earlier == before.end()) continue;
    const double percent = (ms / earlier->second - 1.0) * 100.0;
    out << fmt::format("{}: {} -> {} ms, {:+.1f} % {}\n", name, format_figure(earlier->second),
                       format_figure(ms), percent, percent < 0.0 ? "(faster)" : "(slower)");
  }
}

// Measures, and tells instead of throwing: the next version of the file may be right.
void measure_once(std::ostream& out, const BenchOptions& options, const cl::Device& device,
                  Medians& medians) {
  try {
    const Results results = run_bench(options, device);
    write_table(out, results);
    const Medians now = medians_of(results);
    show_differences(out, medians, now);
    for (const auto& [name, ms] : now) medians[name] = ms;  // what fails now keeps its last right figure
  } catch (const Error& error) {
    out << fmt::format("clgemm-bench: error: {}\n", error.what());
  }
}

void wait_for_change(const std::set<std::string>& files, const Stamps& stamps) {
  while (stamps_of(files) == stamps) std::this_thread::sleep_for(poll_interval);
  std::this_thread::sleep_for(poll_interval / 4);  // an editor may still be writing
}

}  // namespace

void watch(std::ostream& out, const BenchOptions& options, const cl::Device& device, std::size_t rounds) {
  BenchOptions quick = options;
  quick.peers.clear();  // they do not change, and some compile for seconds
  Medians medians;
  for (std::size_t round = 1;; ++round) {
    const std::set<std::string> files = watched_files(options);
    const Stamps stamps = stamps_of(files);
    measure_once(out, quick, device, medians);
    if (round == rounds) return;
    out << fmt::format("waiting for a change of {} files; Ctrl-C ends\n\n", files.size()) << std::flush;
    wait_for_change(files, stamps);
  }
}

}  // namespace clgemm::bench
