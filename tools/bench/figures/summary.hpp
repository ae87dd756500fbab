// Statements about a run as a whole: the participants, and the checks.
#pragma once

#include <string>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

// Returns the keys of the peers that were measured at some shape, in the order of the shapes.
std::vector<std::string> measured_peers(const Results& results);

// Returns the title for ShapeResult::own() in this run. It is "clgemm" if clgemm's own choice was measured at
// each shape. Otherwise it says that own() is the fastest kernel of all.
std::string own_title(const Results& results);

// Returns the first of these peers that reports its version, or null if none does.
const PeerResult* peer_with_version(const Results& results, const std::string& name);

// Returns the shape at which most kernels were measured, and the largest one of those. The ladder is shown
// there. Null if no shape has two kernels.
const ShapeResult* ladder_shape(const Results& results);

// Returns a sentence for each doubt about the figures of this run: a busy machine, single runs, rates of fp32
// units above their measured peak.
std::vector<std::string> troubles_of(const Results& results);

// Returns true if other programs took more of the cores than on a quiet machine.
bool was_busy(const Results& results);

// Counts the results of kernels and peers that were checked, and those that are right.
struct Checks {
  std::size_t checked = 0;
  std::size_t passed = 0;
};
Checks checks_of(const Results& results);

// The ratio between ShapeResult::own() and a peer at a shape, if both were measured and the peer was not
// found wrong.
struct RatioAtShape {
  const ShapeResult* shape;
  double ratio;  // times as fast as the peer
};
struct BesidePeer {
  std::string peer;  // its key
  std::size_t shapes = 0;
  double geometric_mean = 0.0;
  std::size_t at_least_one = 0;  // shapes with a ratio of 1 or more
  std::size_t within_noise = 0;  // shapes with a smaller ratio for which the runs do not show which is faster
  std::vector<RatioAtShape> worst;  // at most five, the worst first

  double part_at_least_one() const { return static_cast<double>(at_least_one) / static_cast<double>(shapes); }
};

// Returns an entry for each peer that was measured at two shapes or more. `results` must outlive it.
std::vector<BesidePeer> beside_peers(const Results& results);

}  // namespace clgemm::bench
