#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "actions/actions.hpp"
#include "common/child_process.hpp"
#include "common/kernel_names.hpp"
#include "common/own_folder.hpp"
#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

// Several tiles of most kernels in each direction, none of them complete, and at least two steps along k.
// Oclgrind takes seconds for it.
constexpr Size small_size{40, 48, 40};

constexpr std::size_t most_findings = 1000;  // that Oclgrind writes; further ones are only counted

// Returns the library by which the ICD loader finds Oclgrind, or an empty path if there is none.
fs::path oclgrind_library() {
  std::vector<fs::path> folders = {"/usr/lib", "/usr/local/lib"};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib", none))
    folders.push_back(entry.path());
  for (const fs::path& folder : folders) {
    const fs::path library = folder / "oclgrind" / "liboclgrind-rt-icd.so";
    if (fs::exists(library, none)) return library;
  }
  return {};
}

std::map<std::string, std::string> environment_of(const fs::path& folder) {
  return {{"OCL_ICD_VENDORS", folder.string()},
          {"OCL_ICD_FILENAMES", ""},
          {"CLGEMM_DEVICE", "Oclgrind"},
          {"CLGEMM_CACHE", "0"},
          {"CLGEMM_PROBE", "0"},
          {"CLGEMM_SELF_TEST", "0"},  // otherwise, its findings would occur twice
          {"CLGEMM_LOG", ""},
          {"OCLGRIND_DATA_RACES", "1"},
          {"OCLGRIND_LOCAL_MEM_SIZE", "262144"},
          {"OCLGRIND_MAX_ERRORS", fmt::format("{}", most_findings)},
          {"OCLGRIND_LOG", (folder / "log").string()},
          // `restrict` in inlined functions becomes an intrinsic that Oclgrind 21.10 does not know. Removing
          // it changes no access.
          {"OCLGRIND_BUILD_OPTIONS", "-Drestrict= -w"}};
}

// Builds arguments that do not try a kernel from a file with eight larger problems first.
std::vector<std::string> arguments_of(BenchOptions options, bool transposed) {
  options.devices.clear();  // CLGEMM_DEVICE names Oclgrind
  std::string size = to_string(small_size);
  std::erase(size, ' ');
  std::vector<std::string> words = words_of_kernel(options);
  words.insert(words.end(), {"--size", size, "--runs", "1", "--warmup", "0", "--peer", "none", "--format",
                             "json", "--beta", transposed ? "-0.5" : "0", "--no-baseline", "--no-check"});
  if (transposed) words.insert(words.end(), {"--transpose-a", "--transpose-b"});
  return words;
}

// Returns the text of a line of the author's file. Empty if it cannot be read, like that of a built-in file.
std::string text_of_line(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  std::ifstream file(place.substr(0, colon));
  std::string text;
  for (long line = std::strtol(place.c_str() + colon + 1, nullptr, 10); line > 0; --line) {
    if (!std::getline(file, text)) return {};
  }
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin);
}

// Returns "49" and "mine.cl" for "\tAt line 49 (column 13) of mine.cl:".
std::string place_in(const std::string& line) {
  const std::size_t number = line.find("At line ") + 8;
  const std::size_t of = line.find(" of ", number);
  if (of == std::string::npos) return "";
  std::string file = line.substr(of + 4);
  if (!file.empty() && file.back() == ':') file.pop_back();
  if (file.starts_with("./")) file.erase(0, 2);
  return fmt::format("{}:{}", file, std::strtol(line.c_str() + number, nullptr, 10));
}

// The child's messages are about the simulator, and are only shown if the kernel does not run there.
Ended run_under_oclgrind(const BenchOptions& options, bool transposed, const fs::path& folder) {
  const auto run = [&](Complaints complaints) {
    fs::remove(folder / "log");
    return run_self_to_end(arguments_of(options, transposed), environment_of(folder), complaints);
  };
  Ended ended = run(Complaints::dropped);
  if (ended.end.kind == ProcessEnd::Kind::exited && ended.end.number <= 1 && !ended.out.empty()) return ended;
  run(Complaints::shown);
  throw std::runtime_error(
      fmt::format("'{}' did not run under Oclgrind: it {}", options.kernels.front(), to_string(ended.end)));
}

// #line directives only have the end of a path. Returns the location with the path by which the author named
// the file.
std::string with_path(const std::string& place, const std::string& kernel) {
  const std::size_t colon = place.rfind(':');
  const bool is_it =
      names_a_file(kernel) && fs::path(place.substr(0, colon)).filename() == fs::path(kernel).filename();
  return is_it ? kernel + place.substr(colon) : place;
}

void write_finding(std::ostream& out, const RaceFinding& finding, const std::string& kernel) {
  out << fmt::format("{}, {} {}\n", finding.what, finding.times, finding.times == 1 ? "time" : "times");
  for (std::size_t i = 0; i < finding.lines.size(); ++i) {
    const std::string place = with_path(finding.lines[i], kernel);
    out << fmt::format("  {}: {}\n", place, text_of_line(place));
    if (i < finding.items.size()) out << fmt::format("      first by {}\n", finding.items[i]);
  }
}

}  // namespace

std::vector<RaceFinding> findings_in(const std::string& log) {
  std::vector<RaceFinding> all;
  RaceFinding one;
  const auto finish = [&] {
    if (one.lines.empty()) return;
    std::vector<std::string> places = one.lines;
    std::sort(places.begin(), places.end());
    const auto same = std::find_if(all.begin(), all.end(), [&](const RaceFinding& other) {
      std::vector<std::string> others = other.lines;
      std::sort(others.begin(), others.end());
      return other.what == one.what && others == places;
    });
    ++(same == all.end() ? all.emplace_back(one) : *same).times;
  };
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) continue;
    if (line.front() != '\t') {
      finish();
      one = {line.substr(0, line.find(" address ")), {}, {}, 0};
    } else if (line.find("At line ") != std::string::npos) {
      if (const std::string place = place_in(line); !place.empty()) one.lines.push_back(place);
    } else if (const std::size_t local = line.find("Local("); local != std::string::npos) {
      one.items.push_back(line.substr(local));
    }
  }
  finish();
  return all;
}

bool find_races(std::ostream& out, const BenchOptions& options) {
  const fs::path library = oclgrind_library();
  if (library.empty())
    throw UsageError("--races needs Oclgrind, which is not installed here (Debian: apt install oclgrind)");
  const OwnFolder folder("clgemm-races-");
  write_whole((folder.path() / "oclgrind.icd").string(), library.string() + "\n");
  std::string log;
  for (const bool transposed : {false, true}) {
    const Ended ended = run_under_oclgrind(options, transposed, folder.path());
    const KernelResult kernel = parse_results(ended.out, "the Oclgrind run").at(0).shapes.at(0).kernels.at(0);
    if (kernel.outcome != Outcome::measured)
      throw std::runtime_error(
          fmt::format("'{}' did not run under Oclgrind: {}", options.kernels.front(), kernel.figures.reason));
    const fs::path written = folder.path() / "log";
    if (fs::exists(written)) log += read_whole(written.string());
  }
  const std::vector<RaceFinding> findings = findings_in(log);
  for (const RaceFinding& finding : findings) write_finding(out, finding, options.kernels.front());
  if (findings.empty()) {
    out << fmt::format(
        "Oclgrind finds no race, no access out of bounds and no divergent barrier in '{}', at {}, with and "
        "without transposes.\n",
        options.kernels.front(), to_string(small_size));
  }
  return findings.empty();
}

}  // namespace clgemm::bench
