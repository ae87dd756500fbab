// The command line of clgemm-bench as plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "command_line/random_shapes.hpp"
#include "common/size.hpp"
#include "data/host_data.hpp"
#include "kernel/manifest.hpp"
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
  show_cache,
  clear_cache,
  clear_quarantine,
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
  std::string device;                              // the first of --device; empty: the default device
  std::vector<std::string> devices;                // all of them
  std::vector<Size> sizes = {{1024, 1024, 1024}};  // empty where suites or random shapes are given
  std::vector<std::string> suites;
  RandomShapes random;
  bool suite_kernels = false;  // the kernels are those of the suites, nobody named them
  MultiplyKind kind;
  std::size_t runs = 20;
  std::size_t warmup = 10;
  double max_seconds = 5.0;  // for the runs of one kernel at one size
  bool check = true;
  bool baseline = true;  // naive, where nobody asked for it
  bool rotate = false;
  bool host_to_host = false;
  bool first_call = false;
  bool ceilings = false;
  std::string first_call_of;  // in a child process: whose first call it makes
  std::string trial_of;       // in a child process: the kernel's file that it tries
  unsigned trial_seconds = 60;
  std::vector<PeerRequest> peers = default_peers();
  std::string show_kernel;       // the kernel that --show-kernel prints
  std::string new_kernel;        // the file that --new-kernel writes
  std::string assembly;          // the file that --asm writes
  std::size_t watch_rounds = 0;  // measurements after which --watch ends; 0: never
  Format format = Format::table;
  std::string output;              // a file; empty: standard output
  std::string report;              // the folder of the page; empty: none
  std::string samples;             // clgemm-tune's, for the page; empty: none
  std::vector<std::string> files;  // JSON of earlier runs: for --compare two or more, the oldest first; for
                                   // the page or Markdown any number
};

// Throws UsageError. Without a value where --help or --version asked for a text, which is then printed.
std::optional<BenchOptions> parse_options(int argc, const char* const* argv);

}  // namespace clgemm::bench
