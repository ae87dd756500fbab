// What `--peer` asks for, as plain data.
#pragma once

#include <string>
#include <vector>

namespace clgemm::bench {

// "NAME" or "NAME=VALUE".
struct PeerRequest {
  std::string name;
  std::string value;
};

// The peers of a run where nothing is said about them.
std::vector<PeerRequest> default_peers();

// "none" alone is no peer at all. Throws UsageError for a name that is not known, for a value that is missing
// or too much, and for a peer that is named twice.
std::vector<PeerRequest> parse_peers(const std::vector<std::string>& texts);

}  // namespace clgemm::bench
