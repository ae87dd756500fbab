// The results of a run of the bench, as plain data. The runner fills them, the writers show them, and JSON
// stores them (results_json.hpp). Comparisons, pages and Markdown tables are made from the stored results. A
// value that was not measured is empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "kernel/manifest.hpp"
#include "measuring/check.hpp"
#include "measuring/host_data.hpp"

namespace clgemm::bench {

// The figures of one kernel or peer at one shape. Times are those of the whole operation, including packing.
struct Figures {
  std::optional<double> median_ms;
  std::optional<double> min_ms;
  std::optional<double> p95_ms;  // 95 of 100 runs took no longer
  std::optional<double> low_ms;  // the median's interval, see interval_of_median(); empty after a single run
  std::optional<double> high_ms;
  std::optional<double> spread;  // (95th percentile - minimum) / median
  std::optional<double> gflops;
  std::optional<double> call_ms;      // median of the host's time from the call to its completion
  std::optional<double> call_low_ms;  // of that median
  std::optional<double> call_high_ms;
  std::optional<double> first_call_ms;  // the host's time of the first call, which compiles or loads
  std::optional<double> host_ms;        // median of the GEMM from host to host, if requested
  std::optional<Clock> clock;           // the clock of the median, the minimum and the percentile
  std::size_t runs = 0;                 // timed runs
  std::size_t launches = 0;             // kernels in one GEMM
  std::optional<double> error_ratio;    // the larger one of the first and the last run, if checked
  std::optional<double> cold_ms;        // the first call of a process with empty caches, if requested
  std::optional<double> warm_ms;        // the same with full caches
  std::optional<bool> passed;           // empty if not checked
  bool computes_in_fp32 = true;         // if false, a result beyond the bound is not a failure
  std::string reason;                   // why it was not measured
  std::vector<double>
      samples_ms;  // each timed run by `clock`, in order; only written to JSON, never read back

  bool measured() const { return median_ms && *median_ms > 0.0; }
  bool failed() const { return passed && !*passed; }
  bool judged() const { return passed && computes_in_fp32; }
};

// A median by one of the clocks, and its confidence interval.
struct Time {
  double ms = 0.0;
  double low_ms = 0.0;
  double high_ms = 0.0;

  bool differs_from(const Time& other) const { return high_ms < other.low_ms || other.high_ms < low_ms; }
};

// Returns the time of the whole call if the clock is the host's. Returns nothing if it was not measured.
std::optional<Time> time_by(Clock clock, const Figures& figures);

// Tells if a measurement exists, or why it does not.
enum class Outcome { measured, skipped, failed };

struct KernelResult {
  std::string kernel;
  std::string asked;  // as named in the options: "auto", or the kernel itself
  Parameters parameters;
  Outcome outcome = Outcome::measured;
  // If false, it ran on tensor cores, to which the fp32 peak does not apply.
  std::optional<bool> on_fp32_units;
  std::string wrong;                     // describes what is wrong with the result
  std::optional<CheckResult> agreement;  // with the first peer whose own result passed, if there is one
  Figures figures;

  bool is_own_choice() const { return asked == "auto"; }
  std::string title() const { return is_own_choice() ? "clgemm" : kernel; }
  std::string long_title() const { return is_own_choice() ? "clgemm (" + kernel + ")" : kernel; }
};

struct PeerResult {
  std::string name;  // "clblast"
  std::string version;
  std::string settings;
  Figures figures;
};

// The copies of the matrices that runs use in turn.
struct Rotation {
  std::size_t copies = 1;
  std::size_t bytes = 0;  // the copies of A, B and C together
};

// Everything that ran at one shape.
struct ShapeResult : Case {
  std::optional<Rotation> rotation;  // if requested
  std::size_t checked_elements = 0;  // against float64; 0 if checks were not requested
  std::optional<double> error_bound;
  std::optional<double> host_bound_ms;  // a lower bound of a GEMM from host to host, if requested
  std::vector<KernelResult> kernels;
  std::vector<PeerResult> peers;
  Figures naive;  // the baseline

  // Returns the result that represents clgemm here: its own choice, or else the fastest kernel. Null if
  // nothing was measured.
  const KernelResult* own() const;
  const PeerResult* peer(const std::string& name) const;

  // Returns the figures of all kernels, then those of all peers.
  std::vector<const Figures*> all_figures() const;

  // Returns the fastest correct result in fp32. Null if there is none.
  const Figures* fastest() const;

  Figures peer_figures(const std::string& name) const;  // Returns empty figures if there is no such peer.

  // Returns the clock for all comparisons at this shape: the device's if it timed everything, else the
  // host's.
  Clock clock() const;

  // Returns the time by that clock.
  std::optional<Time> time(const Figures& figures) const { return time_by(clock(), figures); }
  std::optional<double> rate(const Figures& figures) const;  // GFLOPS
  std::optional<double> speed_up(const Figures& base, const Figures& own) const;

  // Returns true if both were measured and the runs do not show which one is faster.
  bool within_noise(const Figures& one, const Figures& other) const;
};

// A peer that was requested and is not available.
struct MissingPeer {
  std::vector<std::string> names;  // its keys in JSON
  std::string title;
  std::string reason;
};

// The highest rates of the device, as measured in the same run.
struct Ceilings {
  double fp32_gflops = 0.0;    // fused multiply-adds on registers, two operations each
  double read_gbs = 0.0;       // 10^9 bytes a second, from memory beyond the caches
  double copy_gbs = 0.0;       // bytes read and bytes written together
  double cache_gbs = 0.0;      // reading as much as the last cache holds; 0 if unknown
  double tensor_gflops = 0.0;  // fp16 or bf16 on tensor cores, by units and clock, not measured; or 0
};

// The facts that readers of the figures need to know later and elsewhere.
struct Facts {
  std::string date;            // when the run began, ISO 8601 in UTC
  std::string clgemm_version;  // "0.1.0"
  std::string commit;          // the commit that the program was built from; empty without a repository
  std::string host;            // the name of the host's processor
  std::string device;
  std::string platform;
  std::string driver;
  std::string clocks;  // of host and device when the run began, if the platform reports them
  std::string power;   // the power state at that time
  std::string timer;   // the clocks, with their resolution

  // Returns the number of devices that share GEMMs from host to host: 2 for "2 x NVIDIA H200".
  std::size_t devices() const;
};

// Returns the name for so many devices. The number of devices can be read back from it.
std::string joint_name(const std::vector<std::string>& names);

struct Results {
  Facts facts;
  Precision precision = Precision::fp32_equivalent;  // the precision that clgemm was allowed to use
  std::optional<Ceilings> ceilings;                  // if requested
  std::vector<MissingPeer> missing_peers;
  std::vector<ShapeResult> shapes;
  // The file of a run among joined ones, because two runs may have begun in the same second.
  std::string file;
  std::optional<double> part_of_others;  // share of all cores' time in other programs

  // Only for the run in progress; not in JSON.
  std::size_t wanted_runs = 0;
  double max_seconds = 0.0;
  std::vector<std::string> failures;   // at shapes that have no result
  std::vector<PeerResult> host_loops;  // the loops of the ladder, with one thread of the host
};

// Returns true if every check passed and everything ran.
bool all_passed(const Results& results);

// Returns "CLBlast" for "clblast".
std::string peer_title(const std::string& name);

// Returns "1024" or "1024 x 512 x 2048", with ", A transposed" and the like.
std::string describe_shape(const Case& shape);

// Returns the same with the label in front, if there is one.
std::string describe_labelled(const Case& shape);

}  // namespace clgemm::bench
