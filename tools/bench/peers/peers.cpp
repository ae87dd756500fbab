// The list of peers. A new peer needs its own file in this folder and a line here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/nearest.hpp"
#include "common/size.hpp"
#include "common/usage_error.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

enum class Value { none, possible, needed };

struct Entry {
  const char* name;
  Value value;
  const char* value_name;
  std::vector<const char*> keys;  // the keys in JSON
  std::vector<Peer> (*make)(const PeerRequest& request, const cl::Device& device);
};
const Entry entries[] = {
    {"clblast", Value::none, "", {"clblast"}, make_clblast},
    {"clblast-tuned", Value::needed, "FILE.json,...", {"clblast-tuned"}, make_tuned_clblast},
    {"openblas", Value::none, "", {"openblas"}, make_cblas},
    {"cblas", Value::needed, "LIBRARY", {"cblas"}, make_cblas},
    {"cublas", Value::possible, "FOLDER", {"cublas-fp32", "cublas-tf32"}, make_cublas},
    {"cublasxt", Value::possible, "FOLDER", {"cublasxt", "cublasxt-pinning"}, make_cublasxt}};

constexpr const char* no_peer = "none";

const Entry* find_entry(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(entries), std::end(entries), [&](const Entry& e) { return e.name == name; });
  return found == std::end(entries) ? nullptr : found;
}

std::string known_names() {
  std::vector<std::string> names = {no_peer};
  for (const Entry& entry : entries) {
    names.push_back(entry.value == Value::needed ? fmt::format("{}={}", entry.name, entry.value_name)
                                                 : entry.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

PeerRequest parse_peer(const std::string& text) {
  const std::size_t equals = text.find('=');
  const PeerRequest request{
      text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1), {}};
  const Entry* entry = find_entry(request.name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const Entry& one : entries) names.emplace_back(one.name);
    throw UsageError(fmt::format("--peer: '{}' is not one of {}{}", text, known_names(),
                                 did_you_mean(request.name, names)));
  }
  if (entry->value == Value::needed && request.value.empty()) {
    throw UsageError(fmt::format("--peer: {0} needs a value: {0}={1}", request.name, entry->value_name));
  }
  if (entry->value == Value::none && equals != std::string::npos) {
    throw UsageError(fmt::format("--peer: {} takes no value", request.name));
  }
  return request;
}

}  // namespace

std::vector<PeerRequest> default_peers() {
  return {{"clblast", "", {}}};
}

std::vector<PeerRequest> parse_peers(const std::vector<std::string>& texts) {
  if (texts.size() == 1 && texts.front() == no_peer) return {};
  std::vector<PeerRequest> requests;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    if (text == no_peer) throw UsageError("--peer: none cannot be combined with other peers");
    requests.push_back(parse_peer(text));
    if (!seen.insert(requests.back().name).second) {
      throw UsageError(fmt::format("--peer: {} twice", requests.back().name));
    }
  }
  return requests;
}

Peers make_peers(const std::vector<PeerRequest>& requests, const cl::Device& device) {
  Peers peers;
  for (const PeerRequest& request : requests) {
    const Entry& entry = *find_entry(request.name);
    try {
      std::ranges::move(entry.make(request, device), std::back_inserter(peers.present));
    } catch (const std::exception& error) {
      peers.missing.push_back(
          {{entry.keys.begin(), entry.keys.end()}, peer_title(request.name), error.what()});
    }
  }
  return peers;
}

}  // namespace clgemm::bench
