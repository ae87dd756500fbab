// The choice as data: which config, why, how long it should take, what comes after it, and what does not come
// into question and why. Ranking makes the list; whoever builds kernels walks it and adds what failed there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "kernel/config.hpp"

namespace clgemm {

// `measured`: this very problem, on this device. `fitted`: by coefficients that were measured on this device,
// on another one for which compilers write the same code, or on one of another architecture. `anywhere`:
// needs nothing of a device.
enum class Source { measured, fitted_on_device, fitted_on_architecture, fitted_elsewhere, anywhere, named };

// Where a config comes from.
struct Origin {
  Source source = Source::anywhere;
  std::string text;  // which entry, or row, of which file
};

// "measured: ...", "by speed model: ...", "named by the caller"
std::string to_string(const Origin& origin);

// A config that may serve a problem.
struct Candidate {
  Config config;
  Origin origin;
  std::optional<double> seconds;  // of the whole call, predicted; nothing before it is ranked
  std::size_t spilled_bytes = 0;  // if it spills, which is known once it is built; `seconds` count it
};

// Why a config was passed over.
enum class Fault {
  device_limit,  // a requirement of the kernel fails on this device, or a limit of the device
  no_scratch,    // not even its smallest block fits
  bad_kernel,    // there is no such kernel, parameter or value, or its file is wrong
  build_failed,  // the compiler refuses it
  wrong_result,  // found by its self-test, now or by an earlier process
  spills,        // its compiler keeps in memory what does not fit the registers
  given_up       // for one of these reasons, in an earlier call
};

// What a config that spills is expected to take, in multiples of what was predicted without. A guess: the
// loop then moves its sums and operands through memory.
inline constexpr double slower_if_it_spills = 4.0;

// Whether the candidate's prediction knows nothing of what its compiler does here.
bool is_in_doubt(const Candidate& candidate);

// Nothing where the error is no fault of the config.
std::optional<Fault> fault_of(ErrorCode code);

struct Rejected {
  Config config;
  Fault fault;
  std::string why;  // the Error's text
};

struct Choice {
  Candidate chosen;
  std::vector<Candidate> runners_up;  // the best first; not tried, as the chosen one works
  std::vector<Rejected> rejected;     // that stood before the chosen one, or could not even be planned
};

// In words, a line a fact: why this config, its predicted time, the first runners-up with theirs, and
// "not used: CONFIG: ..." for each that was rejected.
std::string describe(const Choice& choice);

}  // namespace clgemm
