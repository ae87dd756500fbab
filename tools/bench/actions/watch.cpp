// `--watch`: checks and times a kernel whenever its file is saved, without another command.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "actions/actions.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "common/kernel_names.hpp"
#include "common/statistics.hpp"
#include "kernel/kernel_file.hpp"
#include "running/runner.hpp"
#include "writing/compare.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval(200);

// The time of the last write of each file, by path.
using Stamps = std::map<std::string, fs::file_time_type>;

// Adds the files that the #line directives of an expanded source name, without the built-in ones.
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

// Returns the kernel files and the files that they include, as far as they can be read.
std::set<std::string> watched_files(const BenchOptions& options) {
  std::set<std::string> files;
  for (const std::string& kernel : options.kernels) {
    if (!names_a_file(kernel)) continue;
    files.insert(kernel);
    try {
      add_included_files(KernelLibrary(options.kernel_folder).find(kernel).file->source, files);
    } catch (const Error&) {
      continue;  // the measurement reports what is wrong with it
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

// The last correct figures of each kernel at each size, with any parameters.
using Known = std::map<std::string, ComparedKernel>;

// Describes how a kernel that was correct before has changed.
std::string difference(const std::string& name, const Comparison& of) {
  const std::string before = format_figure(*of.before.figures.median_ms);
  if (of.verdict == Verdict::fails)
    return fmt::format(
        "{}: {} ms in the last version with a right result; the next version is compared with this\n", name,
        before);
  return fmt::format("{}: {} -> {} ms, {:+.1f} % ({})\n", name, before,
                     format_figure(*of.after.figures.median_ms), of.median_change * 100.0,
                     to_string(of.verdict));
}

// A kernel that fails now keeps its last correct figures.
void show_differences(std::ostream& out, Known& known, const Results& results) {
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) {
      const ComparedKernel now{kernel.kernel, to_string(shape.size), kernel.figures};
      const std::string name = fmt::format("{} at {}", now.title, now.shape);
      const auto earlier = known.find(name);
      if (earlier != known.end()) out << difference(name, compare_kernels(earlier->second, now));
      if (now.figures.measured() && !now.figures.failed()) known[name] = now;
    }
  }
}

// Measures, and reports errors instead of throwing, because the next version of the file may be right.
void measure_once(std::ostream& out, const BenchOptions& options, const cl::Device& device, Known& known) {
  try {
    const Results results = run_bench(options, device);
    write_table(out, results);
    show_differences(out, known, results);
  } catch (const Error& error) {
    out << fmt::format("clgemm-bench: error: {}\n", printable_lines(error.what()));
  }
}

void wait_for_change(const std::set<std::string>& files, const Stamps& stamps) {
  while (stamps_of(files) == stamps) std::this_thread::sleep_for(poll_interval);
  std::this_thread::sleep_for(poll_interval / 4);  // an editor may still be writing the file
}

}  // namespace

bool watch(std::ostream& out, const BenchOptions& options, const cl::Device& device) {
  BenchOptions quick = options;
  quick.peers.clear();  // they do not change, and some compile for seconds
  Known known;
  for (std::size_t round = 1;; ++round) {
    const std::set<std::string> files = watched_files(options);
    const Stamps stamps = stamps_of(files);
    measure_once(out, quick, device, known);
    if (round == options.watch_rounds) return true;
    out << fmt::format("waiting for a change of {} {}; press Ctrl-C to end\n\n", files.size(),
                       files.size() == 1 ? "file" : "files")
        << std::flush;
    wait_for_change(files, stamps);
  }
}

}  // namespace clgemm::bench
