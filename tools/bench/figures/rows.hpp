// What the bench wrote as JSON, read again: all that comparisons, pages and Markdown tables are made of. A
// key that is missing or null is an empty value, so that files of older versions can still be read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::bench {

// Figures of a kernel or a peer at one shape.
struct Figures {
  std::optional<double> median_ms;
  std::optional<double> min_ms;
  std::optional<double> p95_ms;
  std::optional<double> gflops;
  std::optional<double> call_ms;  // by the host's clock, from the call to its completion
  std::optional<double> host_ms;  // from host memory to host memory
  std::optional<double> cold_ms;  // the first call in a process, nothing compiled before
  std::optional<double> warm_ms;  // the same with everything in the caches
  std::optional<double> error_ratio;
  std::optional<bool> passed;
  std::string clock;  // "device" or "host"
  std::size_t runs = 0;
  std::string reason;  // where not measured
  std::string note;    // why its check does not count: a peer that does not compute in fp32

  bool measured() const { return median_ms && *median_ms > 0.0; }
  bool judged() const { return passed && note.empty(); }
};

// How many times as fast as the peer, both measured: by medians, and where only one has the device's clock,
// by the host's clock for both.
double speed_up(const Figures& peer, const Figures& own);

struct PeerRow {
  std::string name;
  std::string version;
  std::string settings;
  Figures figures;
};

// What the device reaches at most, measured by the bench.
struct CeilingRow {
  std::optional<double> fp32_gflops;
  std::optional<double> read_gbs;
  std::optional<double> copy_gbs;
};

// One kernel at one shape.
struct Row {
  std::string device;
  std::string platform;
  std::string driver;
  std::string version;  // of clgemm
  std::string host;
  std::string date;
  std::string timer;
  std::string kernel;
  std::string asked;  // how the kernel was asked for: "auto", or its own name
  std::string parameters;
  std::string label;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::string layout = "row";
  bool transpose_a = false;
  bool transpose_b = false;
  std::string precision;  // what clgemm was allowed; empty in files of earlier versions
  std::size_t gap = 0;    // elements between the lines of a matrix
  double alpha = 1.0;
  double beta = 0.0;
  std::size_t rotated_copies = 0;  // of the operands, against caches; 0: always the same ones
  Figures figures;
  std::optional<double> error_bound;
  std::vector<PeerRow> peers;
  std::optional<CeilingRow> ceilings;

  double operations() const;
  std::string title() const;  // "clgemm" for its own choice, else the kernel's name
};

// "1024", "1024 x 512 x 2048", with ", A transposed" and the like.
std::string describe_shape(const Row& row);

// "CLBlast" for "clblast".
std::string peer_title(const std::string& name);

// Throws UsageError, which names `where`, for what is no result of the bench.
std::vector<Row> parse_rows(std::string_view json, const std::string& where);

// The rows of a file. Throws UsageError.
std::vector<Row> read_rows(const std::string& path);

// The rows of all files, one after the other, as one JSON array. Throws UsageError.
std::string join_files(const std::vector<std::string>& paths);

}  // namespace clgemm::bench
