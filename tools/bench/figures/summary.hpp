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

// What makes the figures of this run less than certain, a sentence each: a machine that was busy, single
// runs, rates of fp32 units above their measured peak.
std::vector<std::string> troubles_of(const Results& results);

// Whether other programs took more of the cores than a quiet machine's do.
bool was_busy(const Results& results);

// How many results were checked, kernels and peers together, and how many of them are right.
struct Checks {
  std::size_t checked = 0;
  std::size_t passed = 0;
};
Checks checks_of(const Results& results);

// What stands against a peer over a list of shapes: ShapeResult::own(), where both were measured and it was
// not found wrong.
struct RatioAtShape {
  const ShapeResult* shape;
  double ratio;  // times as fast as the peer
};
struct BesidePeer {
  std::string peer;  // its key
  std::size_t shapes = 0;
  double geometric_mean = 0.0;
  std::size_t at_least_one = 0;     // shapes with a ratio of 1 or more
  std::size_t within_noise = 0;     // of the others, those whose runs do not tell which is faster
  std::vector<RatioAtShape> worst;  // five at most, the worst first

  double part_at_least_one() const { return static_cast<double>(at_least_one) / static_cast<double>(shapes); }
};

// For each peer that stands beside two shapes or more. `results` must outlive it.
std::vector<BesidePeer> beside_peers(const Results& results);

}  // namespace clgemm::bench
