// Which kernels may serve a problem on a device, the best first: rules, from what was measured. Layer 3.
#pragma once

#include <string>
#include <vector>

#include "base/device.hpp"
#include "call/problem.hpp"
#include "kernel/manifest.hpp"

namespace clgemm {

// A kernel that may serve a problem, values for its parameters, and why it is tried.
struct Candidate {
  std::string kernel;
  Parameters parameters;
  std::string reason;
  bool mirrored = false;  // for a C of one row: the kernel computes it as one column, see mirrored()
};

// The problem as the candidate's kernel sees it.
inline Problem seen_by(const Candidate& candidate, const Problem& problem) {
  return candidate.mirrored ? mirrored(problem) : problem;
}

// The kernels to try for a problem on a device, the best first; the last one runs anywhere.
std::vector<Candidate> candidates(const Problem& problem, const Device& device,
                                  Precision precision = Precision::fp32_equivalent);

// Whether what the kernel keeps in a CPU's cache leaves room there for what passes through: what was tuned on
// a larger one may fit the kernel's own limit, but not this. True for other kernels.
bool leaves_room(const Candidate& candidate, const Problem& problem, const Device& device);

}  // namespace clgemm
