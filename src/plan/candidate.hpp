// What a plan is made for: a kernel with values for its parameters.
#pragma once

#include <string>

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

}  // namespace clgemm
