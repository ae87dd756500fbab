// What is said of a run as a whole: who took part, and what was right.
#pragma once

#include <string>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

// The keys of the peers that were measured at some shape, in the order of the shapes.
std::vector<std::string> measured_peers(const Results& results);

// All titles of kernels, in the order of the shapes; "clgemm" first.
std::vector<std::string> kernel_titles(const Results& results);

// What ShapeResult::own() is in this run: "clgemm" where its own choice was measured at each shape, else the
// fastest kernel of all, which must not be called so.
std::string own_title(const Results& results);

// The first of these peers that says its version; null where none does.
const PeerResult* peer_with_version(const Results& results, const std::string& name);

// The shape at which most kernels were measured, the largest of those: where the ladder is shown. Null where
// no shape has two kernels.
const ShapeResult* ladder_shape(const Results& results);

// How many results were checked, kernels and peers together, and how many of them are right.
struct Checks {
  std::size_t checked = 0;
  std::size_t passed = 0;
};
Checks checks_of(const Results& results);

}  // namespace clgemm::bench
