// The command line of clgemm-bench as plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "command_line/random_shapes.hpp"
#include "common/size.hpp"
#include "kernel/manifest.hpp"
#include "measuring/host_data.hpp"
#include "peers/request.hpp"

namespace clgemm::bench {

enum class Action {
  measure,
  watch,
  races,
  why,
  assembly,
  explain,
  list_devices,
  list_kernels,
  show_kernel,
  cache,
  new_kernel,
  first_call,
  trial,
  accuracy,
  compare,
  report_files,
  markdown
};
enum class Format { table, json, csv, markdown };

struct BenchOptions {
  Action action = Action::measure;
  bool ladder = false;
  std::vector<std::string> kernels = {"auto"};
  Parameters parameters;
  Precision precision = Precision::fp32_equivalent;
  std::string kernel_folder;
  std::vector<std::string> devices;                // if empty, the default device
  std::vector<Size> sizes = {{1024, 1024, 1024}};  // empty if suites or random shapes are given
  std::vector<std::string> suites;
  RandomShapes random;
  bool suite_kernels = false;  // the kernels come from the suites, not from the user
  GemmKind kind;
  std::size_t runs = 20;
  std::size_t warmup = 10;
  double max_seconds = 5.0;  // for the runs of one kernel at one size
  bool check = true;
  bool baseline = true;  // runs naive even if it was not requested
  bool rotate = false;
  bool host_to_host = false;
  bool first_call = false;
  bool ceilings = false;
  std::string first_call_of;  // in a child process: the contestant of the first call
  std::string trial_of;       // in a child process: the kernel's file to try
  unsigned trial_seconds = 60;
  std::vector<PeerRequest> peers = default_peers();
  std::string show_kernel;       // the kernel that --show-kernel prints
  std::string new_kernel;        // the file that --new-kernel writes
  std::string assembly;          // the file that --asm writes
  std::string cache;             // "info", "clear" or "clear-quarantine"
  std::size_t watch_rounds = 0;  // measurements after which --watch ends; 0 means never
  Format format = Format::table;
  std::string output;   // a file; empty means standard output
  std::string report;   // the folder of the page; empty means no page
  std::string samples;  // the file of clgemm-tune for the page; empty means none
  // JSON files of earlier runs. --compare needs two or more, the oldest first. The page and Markdown use any
  // number.
  std::vector<std::string> files;
};

// Throws UsageError. Returns nothing if --help or --version requested a text, which is then printed.
std::optional<BenchOptions> parse_options(int argc, const char* const* argv);

// Returns the words that select the same device and the first kernel, for a child process of this program.
std::vector<std::string> words_of_kernel(const BenchOptions& options);

}  // namespace clgemm::bench
