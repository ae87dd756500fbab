// What a run of the bench found out, as plain data for the reports.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "common/size.hpp"
#include "contestants/contestant.hpp"
#include "data/check.hpp"
#include "data/rotation.hpp"
#include "kernel/manifest.hpp"
#include "peers/peer.hpp"
#include "running/ceilings.hpp"
#include "running/facts.hpp"
#include "running/first_call.hpp"

namespace clgemm::bench {

// Figures of one kernel or peer at one size. Times are of the whole operation, packing included.
struct Measurement {
  Clock clock = Clock::device;  // of the median and the minimum
  double median_ms = 0.0;
  double min_ms = 0.0;
  double p95_ms = 0.0;               // 95 of 100 runs took no longer
  double call_ms = 0.0;              // median of the host's time from the call to its completion
  double first_call_ms = 0.0;        // the host's time of the first call, which compiles or loads
  std::optional<double> host_ms;     // median of the multiply from host to host; where asked for
  std::size_t runs = 0;              // timed
  std::size_t launches = 0;          // kernels in one multiply
  std::optional<CheckResult> check;  // the worse of the first and the last run; nothing where not asked for

  double gflops(const Size& size) const { return operations(size) / (median_ms * 1e6); }
  double spread() const { return (p95_ms - min_ms) / median_ms; }
  bool failed() const { return check && !check->passed; }
};

// Why there is no measurement.
enum class Outcome { measured, skipped, failed };

struct KernelResult {
  std::string kernel;
  std::string asked;  // how it was asked for: "auto", or the kernel itself
  Parameters parameters;
  Outcome outcome = Outcome::measured;
  std::string reason;                      // where not measured
  std::string wrong;                       // where the result was wrong, in words
  std::optional<Measurement> measurement;  // where measured
  std::optional<FirstCall> first_call;     // in processes of its own; where asked for
  std::optional<CheckResult> agreement;    // with the first peer whose own result passed; nothing without one
  bool passed() const {
    return measurement && measurement->check && measurement->check->passed &&
           (!agreement || agreement->passed);
  }
};

struct PeerResult {
  std::string name;
  std::string title;
  std::string version;
  std::string settings;
  bool computes_in_fp32 = true;  // else a result beyond the bound is no failure
  std::string reason;            // where not measured
  std::optional<Measurement> measurement;
  std::optional<FirstCall> first_call;
};

struct SizeResult {
  std::string label;  // the suite's word for it; mostly empty
  SgemmCall call;
  std::optional<Rotation> rotation;  // where asked for
  std::size_t checked_elements = 0;  // against float64; 0 where checks were not asked for
  std::vector<KernelResult> kernels;
  std::optional<Measurement> naive;  // the baseline
  std::string naive_reason;          // where there is none
  std::vector<PeerResult> peers;

  Size size() const { return {call.m, call.n, call.k}; }
};

// A loop on the host, one thread.
struct HostLoopResult {
  std::string title;
  std::string reason;  // where left out
  double ms = 0.0;
  std::optional<CheckResult> check;
};

struct Results {
  Device device;
  Facts facts;
  std::optional<Ceilings> ceilings;  // where asked for
  std::vector<MissingPeer> missing_peers;
  bool checked = true;
  Precision precision = Precision::fp32_equivalent;  // what clgemm was allowed
  std::size_t wanted_runs = 0;
  double max_seconds = 0.0;
  std::string stopped_by;                  // the error at a size after others that are here
  std::vector<HostLoopResult> host_loops;  // of the ladder
  std::vector<SizeResult> sizes;
};

// How many times faster than the base, by medians; nothing where one of them was not measured. Where only one
// has the device's clock, both are taken by the host's, from the call to its completion.
std::optional<double> speed_up(const std::optional<Measurement>& base,
                               const std::optional<Measurement>& measurement);

// The peer's measurement, where there is one of that name.
std::optional<Measurement> peer_measurement(const SizeResult& size, const std::string& name);

// Every check that was made passed, and nothing failed to run.
bool all_passed(const Results& results);

}  // namespace clgemm::bench
