// Which kernels of a suite are measured at a size: those that take too long are left out, and said to be.
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

// Predicts each kernel's time from the largest size at which these results have it; what was not measured
// yet, and clgemm's own choice, are never left out. `max_seconds` is for one run.
Affordable affordable(const std::vector<KernelChoice>& choices, const Results& earlier, const Case& one,
                      double max_seconds);

// "about 2 s a run", "about 0.05 ms a run".
std::string about_a_run(double seconds);

// Why something is not measured that would take so long a run.
std::string left_out(double seconds);

// The baseline is among what was left out, and is not to be run after all.
bool leaves_out_baseline(const Affordable& kernels);

// Predicts how long a run of the peer takes, from the largest size at which these results have it, else from
// a run of a part of the problem. Nothing where it surely is below `max_seconds`, or cannot be known.
std::optional<double> seconds_of_a_run(const Peer& peer, const Results& earlier, const HostData& data,
                                       const cl::CommandQueue& queue, double max_seconds);

// Milliseconds of a run on the same kind of problem, cut down to sides of at most this, and scaled up again.
using MakeContestant = std::function<std::unique_ptr<Contestant>(const DeviceData& data)>;
double predict_ms(const MakeContestant& make, const cl::CommandQueue& queue, const SgemmCall& call,
                  std::size_t side_at_most);

}  // namespace clgemm::bench
