// What a run of the bench found out, as plain data: running fills it, the writers show it, JSON keeps it
// (results_json.hpp), and comparisons, pages and Markdown tables are made of what is read back. What was not
// measured is empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "data/check.hpp"
#include "data/host_data.hpp"
#include "data/rotation.hpp"
#include "kernel/manifest.hpp"

namespace clgemm::bench {

// Of one kernel or peer at one shape. Times are of the whole operation, packing included.
struct Figures {
  std::optional<double> median_ms;
  std::optional<double> min_ms;
  std::optional<double> p95_ms;  // 95 of 100 runs took no longer
  std::optional<double> low_ms;  // of the median, see interval_of_median(); nothing where one run was made
  std::optional<double> high_ms;
  std::optional<double> spread;  // (95th percentile - minimum) / median
  std::optional<double> gflops;
  std::optional<double> call_ms;      // median of the host's time from the call to its completion
  std::optional<double> call_low_ms;  // of that median
  std::optional<double> call_high_ms;
  std::optional<double> first_call_ms;  // the host's time of the first call, which compiles or loads
  std::optional<double> host_ms;        // median of the multiply from host to host; where asked for
  std::optional<Clock> clock;           // of the median, the minimum and the percentile
  std::size_t runs = 0;                 // timed
  std::size_t launches = 0;             // kernels in one multiply
  std::optional<double> error_ratio;    // the worse of the first and the last run; where checked
  std::optional<double> cold_ms;  // the first call in a process, nothing compiled before; where asked for
  std::optional<double> warm_ms;  // the same with everything in the caches
  std::optional<bool> passed;     // nothing where not checked
  bool computes_in_fp32 = true;   // else a result beyond the bound is no failure
  std::string reason;             // where not measured
  std::vector<double>
      samples_ms;  // each timed run by `clock`, in their order; JSON keeps them, and nothing reads them back

  bool measured() const { return median_ms && *median_ms > 0.0; }
  bool failed() const { return passed && !*passed; }
  bool judged() const { return passed && computes_in_fp32; }
};

// A median by one of the clocks, and the bounds between which the true one lies as far as the runs tell.
struct Time {
  double ms = 0.0;
  double low_ms = 0.0;
  double high_ms = 0.0;

  bool differs_from(const Time& other) const { return high_ms < other.low_ms || other.high_ms < low_ms; }
};

// From the call to its completion, where the clock is the host's; nothing where not measured.
std::optional<Time> time_by(Clock clock, const Figures& figures);

// Why there is no measurement.
enum class Outcome { measured, skipped, failed };

struct KernelResult {
  std::string kernel;
  std::string asked;  // how it was asked for: "auto", or the kernel itself
  Parameters parameters;
  Outcome outcome = Outcome::measured;
  std::optional<bool> on_fp32_units;     // else on tensor cores, which the peak of fp32 says nothing of
  std::string wrong;                     // where the result was wrong, in words
  std::optional<CheckResult> agreement;  // with the first peer whose own result passed; nothing without one
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

// All that ran at one shape.
struct ShapeResult : Case {
  std::optional<Rotation> rotation;  // where asked for
  std::size_t checked_elements = 0;  // against float64; 0 where checks were not asked for
  std::optional<double> error_bound;
  std::optional<double> host_bound_ms;  // no multiply from host to host can be faster; where asked for
  std::vector<KernelResult> kernels;
  std::vector<PeerResult> peers;
  Figures naive;  // the baseline

  // What speaks for clgemm here: its own choice, else the fastest kernel. Null where nothing was measured.
  const KernelResult* own() const;
  const PeerResult* peer(const std::string& name) const;
  Figures peer_figures(const std::string& name) const;  // empty ones where there is no such peer

  // The clock by which all that was measured here is compared: the device's where everything has its time,
  // else the host's.
  Clock clock() const;

  // By that clock.
  std::optional<Time> time(const Figures& figures) const { return time_by(clock(), figures); }
  std::optional<double> rate(const Figures& figures) const;  // GFLOPS
  std::optional<double> speed_up(const Figures& base, const Figures& own) const;

  // Both were measured, and the runs do not tell which one is faster.
  bool within_noise(const Figures& one, const Figures& other) const;
};

// A peer that was asked for and is not there.
struct MissingPeer {
  std::vector<std::string> names;  // its keys in JSON
  std::string title;
  std::string reason;
};

// What the device can do at most, as measured in the same run.
struct Ceilings {
  double fp32_gflops = 0.0;  // fused multiply-adds on registers, two operations each
  double read_gbs = 0.0;     // 10^9 bytes a second, from memory beyond the caches
  double copy_gbs = 0.0;     // bytes read and bytes written together
  double cache_gbs = 0.0;    // reading what the last cache holds; 0 where not known
  double tensor_gflops =
      0.0;  // of fp16 or bf16 on tensor cores, not measured: by units and clock; 0 where none
};

// What must be known of a run besides its figures, for whoever reads them later and elsewhere.
struct Facts {
  std::string date;            // of the run's begin, ISO 8601 in UTC
  std::string clgemm_version;  // "0.1.0"
  std::string commit;          // that the program was built from; empty without a repository
  std::string host;            // the name of the host's processor
  std::string device;
  std::string platform;
  std::string driver;
  std::string clocks;  // of host and device when the run began, as far as the platform tells
  std::string power;   // the power state then
  std::string timer;   // the clocks, with their resolution

  // That share multiplies from host to host: "2 x NVIDIA H200" are two.
  std::size_t devices() const;
};

// The name of so many devices, and the number of those that a name of this kind stands for.
std::string joint_name(const std::vector<std::string>& names);

// A loop on the host, one thread.
struct HostLoopResult {
  std::string title;
  Figures figures;
};

struct Results {
  Facts facts;
  Precision precision = Precision::fp32_equivalent;  // what clgemm was allowed
  std::optional<Ceilings> ceilings;                  // where asked for
  std::vector<MissingPeer> missing_peers;
  std::vector<ShapeResult> shapes;
  std::string file;                      // of several that were joined: two may have begun in the same second
  std::optional<double> part_of_others;  // of the time of all cores, what other programs took during the run

  // Of the run that is under way only; JSON does not keep them.
  std::size_t wanted_runs = 0;
  double max_seconds = 0.0;
  std::vector<std::string> failures;       // at shapes that are not here
  std::vector<HostLoopResult> host_loops;  // of the ladder
};

// Every check that was made passed, and nothing failed to run.
bool all_passed(const Results& results);

// "CLBlast" for "clblast".
std::string peer_title(const std::string& name);

// "1024", "1024 x 512 x 2048", with ", A transposed" and the like.
std::string describe_shape(const Case& shape);

// With its label, where it has one, before that.
std::string describe_labelled(const Case& shape);

// Where the same kernel ran twice at a shape with the same parameters, the later result alone.
Results each_kernel_once(Results results);

}  // namespace clgemm::bench
