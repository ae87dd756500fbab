// The choice as data: the config, the reason for it, its expected time, the next best configs, and the
// rejected configs with the reasons. Ranking makes the list. The code that builds kernels goes through it and
// adds the configs that fail there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "kernel/config.hpp"

namespace clgemm {

// The source of a config. `measured`: a measurement of the same problem on this device. `fitted`:
// coefficients that were measured on this device, on another device for which compilers write the same code,
// or on a device of another architecture. `anywhere`: needs nothing from a device.
enum class Source { measured, fitted_on_device, fitted_on_architecture, fitted_elsewhere, anywhere, named };

// The origin of a config.
struct Origin {
  Source source = Source::anywhere;
  std::string text;  // the entry or row, and its file
};

// Returns "measured: ...", "by speed model: ..." or "named by the caller".
std::string to_string(const Origin& origin);

// A config that could serve a problem.
struct Candidate {
  Config config;
  Origin origin;
  std::optional<double> seconds;  // predicted time of the whole call; not set before ranking
  std::size_t spilled_bytes = 0;  // known only after the build; `seconds` include the cost of spilling
};

// The reason for which a config was skipped.
enum class Fault {
  device_limit,  // this device does not meet a requirement of the kernel, or one of its limits is exceeded
  no_scratch,    // not even its smallest block fits
  bad_kernel,    // the kernel, parameter or value does not exist, or the kernel's file is wrong
  build_failed,  // the compiler rejects it
  wrong_result,  // found by its self-test, now or in an earlier process
  spills,        // the compiler keeps values in memory that do not fit into the registers
  excluded       // for one of these reasons, in an earlier call
};

// The factor by which a config that spills is expected to be slower than predicted without spilling. It is a
// guess: the loop then moves its sums and operands through memory.
inline constexpr double slower_if_it_spills = 4.0;

// Returns whether the candidate's prediction does not know what its compiler does for this device.
bool is_in_doubt(const Candidate& candidate);

// Returns nothing if the error is not a fault of the config.
std::optional<Fault> fault_of(ErrorCode code);

struct Rejected {
  Config config;
  Fault fault;
  std::string why;  // the Error's text
};

struct Choice {
  Candidate chosen;
  std::vector<Candidate> runners_up;  // best first; not tried, because the chosen one works
  std::vector<Rejected> rejected;     // ranked before the chosen one, or impossible to plan
};

// Describes the choice, one fact a line: why this config was chosen, its predicted time, the first runners-up
// with their times, and "not used: CONFIG: ..." for each rejected config.
std::string describe(const Choice& choice);

}  // namespace clgemm
