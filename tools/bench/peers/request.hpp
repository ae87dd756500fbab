// What `--peer` asks for.
#pragma once

#include <string>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm::bench {

// "NAME" or "NAME=VALUE".
struct PeerRequest {
  std::string name;
  std::string value;
  std::vector<cl::Device> devices;  // where there are several, for peers that can use them
};

// The peers of a run where nothing is said about them.
std::vector<PeerRequest> default_peers();

// "none" alone is no peer at all. Throws UsageError for a name that is not known, for a value that is missing
// or too much, and for a peer that is named twice.
std::vector<PeerRequest> parse_peers(const std::vector<std::string>& texts);

}  // namespace clgemm::bench
