// The request that `--peer` makes.
#pragma once

#include <string>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm::bench {

// "NAME" or "NAME=VALUE".
struct PeerRequest {
  std::string name;
  std::string value;
  std::vector<cl::Device> devices;  // for peers that can use several
};

// Returns the peers of a run that names none.
std::vector<PeerRequest> default_peers();

// "none" alone means no peer. Throws UsageError for an unknown name, for a missing or superfluous value, and
// for a peer that is named twice.
std::vector<PeerRequest> parse_peers(const std::vector<std::string>& texts);

}  // namespace clgemm::bench
