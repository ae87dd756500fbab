// Selects the kernels of a suite that are measured at a size. Those that take too long are left out, and
// reported as left out.
#pragma once

#include <optional>
#include <string>

#include <functional>
#include <memory>
#include <vector>

#include "figures/results.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {

struct Affordable {
  std::vector<KernelChoice> choices;
  std::vector<KernelResult> left_out;  // skipped, with the reason
};

// Predicts each kernel's time from the largest size at which these results have it. Kernels that are not
// measured yet, and clgemm's own choice, are never left out. `max_seconds` is for one run.
Affordable affordable(const std::vector<KernelChoice>& choices, const Results& earlier, const Case& one,
                      double max_seconds);

// "about 2 s a run", "about 0.05 ms a run".
std::string about_a_run(double seconds);

// Says why something that would take this long for a run is not measured.
std::string left_out(double seconds);

// Returns true if the baseline was left out and must not run.
bool leaves_out_baseline(const Affordable& kernels);

// Predicts how long a run of the peer takes, from the largest size at which these results have it, or else
// from a run of a part of the problem. Returns nothing if the time is surely below `max_seconds`, or cannot
// be known.
std::optional<double> seconds_of_a_run(const Peer& peer, const Results& earlier, const HostData& data,
                                       const cl::CommandQueue& queue, double max_seconds);

// Returns the milliseconds of a run on the same kind of problem, reduced to sides of at most this and scaled
// up again.
using MakeContestant = std::function<std::unique_ptr<Contestant>(const DeviceData& data)>;
double predict_ms(const MakeContestant& make, const cl::CommandQueue& queue, const SgemmCall& call,
                  std::size_t side_at_most);

}  // namespace clgemm::bench
